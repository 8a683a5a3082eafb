// Purpose: erases nodes that hold nothing any more and below which no others lie, with their earlier names and places, their edges and their grants; whom only they gave rights goes, too, and
//   a persona as one whom others gave rights. Idempotent. Parameters: user_id, nodes (ids). Returns: counts, by label and type.
CYPHER 25
UNWIND $nodes AS node_id
MATCH (n:Node {node_id: node_id})
WHERE n.user_id = $user_id AND n.node_id <> $user_id AND NOT EXISTS { (n)-[:HOLDS]->(:Record) }
SET n.records = n.records  // takes the lock
WITH collect(n) AS gone
CALL (gone) {
  UNWIND gone AS n
  OPTIONAL MATCH (n)<-[:GRANTED]-(given:Subject)
  OPTIONAL MATCH (own:Subject {subject_id: n.node_id})
  RETURN collect(DISTINCT given) + collect(DISTINCT own) AS subjects, collect(DISTINCT own) AS personas
}
CALL (gone) {
  UNWIND gone AS n
  MATCH (n)-[:WAS]->(p:Past)
  DETACH DELETE p
  RETURN count(*) AS slices
}
CALL (gone, personas) {
  UNWIND gone + personas AS one
  MATCH (one)-[link]-()
  WITH DISTINCT link, CASE WHEN startNode(link):Node AND endNode(link):Node AND link.edge_id IS NOT NULL AND link.slice_id IS NULL THEN 'RELATED' ELSE type(link) END AS kind
  DELETE link
  WITH kind, count(*) AS links
  RETURN collect([kind, links]) AS links
}
CALL (subjects) {
  UNWIND subjects AS subject
  WITH DISTINCT subject WHERE NOT EXISTS { (subject)-[:GRANTED]->(:Node) }
  DELETE subject
  RETURN count(*) AS without
}
FOREACH (n IN gone | DELETE n)
RETURN [['Node', size(gone)], ['Past', slices], ['WAS', slices]] + links + CASE without WHEN 0 THEN [] ELSE [['Subject', without]] END AS counts
