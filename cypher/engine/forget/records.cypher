// Purpose: erases records with their earlier states; nodes count them no more. What they mention and state goes before. Idempotent.
// Parameters: user_id, records (ids). Returns: counts, by label and type.
CYPHER 25
UNWIND $records AS record_id
MATCH (r:Record {record_id: record_id})
WHERE r.user_id = $user_id
SET r.since = coalesce(r.since, r.known_from)  // takes the lock
WITH collect(r) AS gone
CALL (gone) {
  UNWIND gone AS r
  MATCH (n:Node)-[:HOLDS]->(r)
  SET n.records = n.records - 1, n.items = n.items - coalesce(r.items, 0),
      n.private_records = CASE r.privacy WHEN 'private' THEN coalesce(n.private_records, 0) - 1 ELSE n.private_records END,
      n.private_items = CASE r.privacy WHEN 'private' THEN coalesce(n.private_items, 0) - coalesce(r.items, 0) ELSE n.private_items END
}
CALL (gone) {
  UNWIND gone AS r
  MATCH (r)-[:WAS]->(p:Past)
  DETACH DELETE p
  RETURN count(*) AS slices
}
CALL (gone) {
  UNWIND gone AS r
  MATCH (r)-[link]-()
  WITH link, type(link) AS kind
  DELETE link
  WITH kind, count(*) AS links
  RETURN collect([kind, links]) AS links
}
FOREACH (r IN gone | DELETE r)
RETURN [['Record', size(gone)], ['Past', slices], ['WAS', slices]] + links AS counts
