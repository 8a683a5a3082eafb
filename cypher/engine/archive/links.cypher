// Purpose: all relationships of some types between nodes of a user with two labels, in any order. Service only: archives of the user.
// Parameters: user_id, source and target (labels), types (null: any), has and lacks (names of properties that they have, and do not have; or null).
// Returns: kind (the type), source and target (ids; of an alias its type and key, with a colon between), properties.
CYPHER 25
CALL () {
  UNWIND CASE $source WHEN 'Node' THEN [1] ELSE [] END AS asked
  MATCH (n:Node {user_id: $user_id}) WHERE n.name_key IS NOT NULL
  RETURN n
  UNION ALL
  UNWIND CASE $source WHEN 'Record' THEN [1] ELSE [] END AS asked
  MATCH (n:Record {user_id: $user_id}) WHERE n.record_id IS NOT NULL
  RETURN n
  UNION ALL
  UNWIND CASE $source WHEN 'Entity' THEN [1] ELSE [] END AS asked
  MATCH (n:Entity {user_id: $user_id}) WHERE n.key IS NOT NULL
  RETURN n
  UNION ALL
  UNWIND CASE $source WHEN 'Alias' THEN [1] ELSE [] END AS asked
  MATCH (n:Alias {user_id: $user_id}) WHERE n.key IS NOT NULL
  RETURN n
  UNION ALL
  UNWIND CASE $source WHEN 'Fact' THEN [1] ELSE [] END AS asked
  MATCH (n:Fact {user_id: $user_id}) WHERE n.fact_id IS NOT NULL
  RETURN n
  UNION ALL
  UNWIND CASE $source WHEN 'Subject' THEN [1] ELSE [] END AS asked
  MATCH (:Node {user_id: $user_id})<-[:GRANTED {user_id: $user_id}]-(n:Subject)
  RETURN DISTINCT n
}
MATCH (n)-[r]->(m)
WHERE m.user_id = $user_id AND $target IN labels(m) AND ($types IS NULL OR type(r) IN $types)
  AND ($has IS NULL OR r[$has] IS NOT NULL) AND ($lacks IS NULL OR r[$lacks] IS NULL)
RETURN type(r) AS kind,
       CASE $source WHEN 'Node' THEN n.node_id WHEN 'Record' THEN n.record_id WHEN 'Entity' THEN n.entity_id WHEN 'Fact' THEN n.fact_id
                    WHEN 'Subject' THEN n.subject_id ELSE n.type + ':' + n.key END AS source,
       CASE $target WHEN 'Node' THEN m.node_id WHEN 'Record' THEN m.record_id WHEN 'Entity' THEN m.entity_id WHEN 'Fact' THEN m.fact_id
                    WHEN 'Past' THEN m.slice_id ELSE m.community_id END AS target,
       properties(r) AS properties
