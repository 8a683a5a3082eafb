// Purpose: makes relationships of an archive between nodes of its user. Operator only: their user is not known to Postgres yet.
// Parameters: user_id, source and target (labels), rows {kind, source, target (ids; of an alias its type), key (of an
//   alias), properties}. Returns: made.
CYPHER 25
UNWIND $rows AS row
CALL (row) {
  WITH row WHERE $source = 'Node'
  MATCH (n:Node {node_id: row.source}) WHERE n.user_id = $user_id
  RETURN n
  UNION ALL
  WITH row WHERE $source = 'Record'
  MATCH (n:Record {record_id: row.source}) WHERE n.user_id = $user_id
  RETURN n
  UNION ALL
  WITH row WHERE $source = 'Entity'
  MATCH (n:Entity {entity_id: row.source}) WHERE n.user_id = $user_id
  RETURN n
  UNION ALL
  WITH row WHERE $source = 'Alias'
  MATCH (n:Alias {user_id: $user_id, type: row.source, key: row.key})
  RETURN n
  UNION ALL
  WITH row WHERE $source = 'Fact'
  MATCH (n:Fact {fact_id: row.source}) WHERE n.user_id = $user_id
  RETURN n
  UNION ALL
  WITH row WHERE $source = 'Subject'
  MATCH (n:Subject {subject_id: row.source})
  RETURN n
}
CALL (row) {
  WITH row WHERE $target = 'Node'
  MATCH (m:Node {node_id: row.target}) WHERE m.user_id = $user_id
  RETURN m
  UNION ALL
  WITH row WHERE $target = 'Past'
  MATCH (m:Past {slice_id: row.target}) WHERE m.user_id = $user_id
  RETURN m
  UNION ALL
  WITH row WHERE $target = 'Record'
  MATCH (m:Record {record_id: row.target}) WHERE m.user_id = $user_id
  RETURN m
  UNION ALL
  WITH row WHERE $target = 'Entity'
  MATCH (m:Entity {entity_id: row.target}) WHERE m.user_id = $user_id
  RETURN m
  UNION ALL
  WITH row WHERE $target = 'Fact'
  MATCH (m:Fact {fact_id: row.target}) WHERE m.user_id = $user_id
  RETURN m
  UNION ALL
  WITH row WHERE $target = 'Community'
  MATCH (m:Community {community_id: row.target}) WHERE m.user_id = $user_id
  RETURN m
}
CREATE (n)-[r:$(row.kind)]->(m)
SET r = row.properties
RETURN count(*) AS made
