// Purpose: relationships of some types that leave nodes of a user's graph, by the ids of these; of aliases by the ids of the entities that they name. Service only:
//   archives of a part of the graph.
// Parameters: user_id, source and target (labels), types, has and lacks (names of properties that they have, and do not have; or null: then by their types), ids. Returns: kind (the type), source and target (ids; of an alias its type and key, with a colon
//   between), properties.
CYPHER 25
UNWIND $ids AS id
CALL (id) {
  WITH id WHERE $source = 'Node'
  MATCH (n:Node {node_id: id})-[r]->(m) WHERE n.user_id = $user_id
  RETURN n, r, m
  UNION ALL
  WITH id WHERE $source = 'Record'
  MATCH (n:Record {record_id: id})-[r]->(m) WHERE n.user_id = $user_id
  RETURN n, r, m
  UNION ALL
  WITH id WHERE $source = 'Entity'
  MATCH (n:Entity {entity_id: id})-[r]->(m) WHERE n.user_id = $user_id
  RETURN n, r, m
  UNION ALL
  WITH id WHERE $source = 'Alias'
  MATCH (m:Entity {entity_id: id})<-[r:NAMES]-(n:Alias) WHERE m.user_id = $user_id
  RETURN n, r, m
  UNION ALL
  WITH id WHERE $source = 'Fact'
  MATCH (n:Fact {fact_id: id})-[r]->(m) WHERE n.user_id = $user_id
  RETURN n, r, m
}
WITH n, r, m
WHERE m.user_id = $user_id AND $target IN labels(m)
  AND CASE WHEN $has IS NULL THEN type(r) IN $types ELSE r[$has] IS NOT NULL AND ($lacks IS NULL OR r[$lacks] IS NULL) END
RETURN type(r) AS kind,
       CASE $source WHEN 'Node' THEN n.node_id WHEN 'Record' THEN n.record_id WHEN 'Entity' THEN n.entity_id WHEN 'Fact' THEN n.fact_id
                    ELSE n.type + ':' + n.key END AS source,
       CASE $target WHEN 'Node' THEN m.node_id WHEN 'Record' THEN m.record_id WHEN 'Entity' THEN m.entity_id WHEN 'Fact' THEN m.fact_id
                    ELSE m.slice_id END AS target,
       properties(r) AS properties
