// Purpose: erases some of all that the graph has of a user: records first, so that nothing has many relationships any more when its turn comes. Whom the user's nodes
//   gave rights goes with the last of them; a persona of the user with its node, whatever it may read. Idempotent.
// Parameters: user_id, most (at once). Returns: counts, by label and type; no count but zero once nothing is left.
CYPHER 25
CALL () {
  MATCH (one:Record {user_id: $user_id}) WHERE one.record_id IS NOT NULL RETURN one
  UNION ALL
  MATCH (one:Past {user_id: $user_id}) WHERE one.slice_id IS NOT NULL RETURN one
  UNION ALL
  MATCH (one:Fact {user_id: $user_id}) WHERE one.fact_id IS NOT NULL RETURN one
  UNION ALL
  MATCH (one:Community {user_id: $user_id}) RETURN one
  UNION ALL
  MATCH (one:Alias {user_id: $user_id}) WHERE one.key IS NOT NULL RETURN one
  UNION ALL
  MATCH (one:Entity {user_id: $user_id}) WHERE one.key IS NOT NULL RETURN one
  UNION ALL
  MATCH (one:Node {user_id: $user_id}) WHERE one.name_key IS NOT NULL RETURN one
}
WITH one LIMIT $most
WITH collect(one) AS gone
CALL (gone) {
  UNWIND gone AS one
  OPTIONAL MATCH (one)<-[:GRANTED]-(given:Subject)
  OPTIONAL MATCH (own:Subject {subject_id: one.node_id})
  RETURN collect(DISTINCT given) + collect(DISTINCT own) AS subjects, collect(DISTINCT own) AS personas
}
CALL (gone, personas) {
  UNWIND gone + personas AS one
  MATCH (one)-[link]-(other)
  WITH DISTINCT link, CASE WHEN startNode(link):Entity AND endNode(link):Entity AND link.relation_id IS NOT NULL THEN 'RELATION'
                           WHEN startNode(link):Node AND endNode(link):Node AND link.edge_id IS NOT NULL AND link.slice_id IS NULL THEN 'RELATED'
                           ELSE type(link) END AS kind
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
CALL (gone) {
  UNWIND gone AS one
  WITH head([label IN ['Record', 'Past', 'Fact', 'Community', 'Alias', 'Entity', 'Node'] WHERE label IN labels(one)]) AS label, count(*) AS number
  RETURN collect([label, number]) AS labels
}
FOREACH (one IN gone | DETACH DELETE one)
RETURN labels + links + CASE without WHEN 0 THEN [] ELSE [['Subject', without]] END AS counts
