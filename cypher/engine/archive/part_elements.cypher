// Purpose: nodes of a user's graph by their ids, aliases by the ids of their entities. Service only: archives of a part of the graph.
// Parameters: user_id, label (Node, Past, Record, Entity, Alias or Fact), ids. Returns: labels, properties.
CYPHER 25
UNWIND $ids AS id
CALL (id) {
  WITH id WHERE $label = 'Node'
  MATCH (n:Node {node_id: id}) WHERE n.user_id = $user_id
  RETURN n
  UNION ALL
  WITH id WHERE $label = 'Past'
  MATCH (n:Past {slice_id: id}) WHERE n.user_id = $user_id
  RETURN n
  UNION ALL
  WITH id WHERE $label = 'Record'
  MATCH (n:Record {record_id: id}) WHERE n.user_id = $user_id
  RETURN n
  UNION ALL
  WITH id WHERE $label = 'Entity'
  MATCH (n:Entity {entity_id: id}) WHERE n.user_id = $user_id
  RETURN n
  UNION ALL
  WITH id WHERE $label = 'Alias'
  MATCH (e:Entity {entity_id: id})<-[:NAMES]-(n:Alias) WHERE e.user_id = $user_id
  RETURN n
  UNION ALL
  WITH id WHERE $label = 'Fact'
  MATCH (n:Fact {fact_id: id}) WHERE n.user_id = $user_id
  RETURN n
}
RETURN labels(n) AS labels, properties(n) AS properties
