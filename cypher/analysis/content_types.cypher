// Purpose: what kinds of content a graph holds, and of which time.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: type, records, items, private (records), first and last (days).
// Index: node_name.
// Result on the bundled history:
//   type          records  items  private  first       last
//   conversation  71       264    0        2024-03-10  2026-03-15
//   file_upload   2        29     0        2024-06-18  2026-03-15
//   other         2        2      0        2023-06-01  2025-10-18
CYPHER 25
MATCH (n:Node {user_id: $user_id})-[:HOLDS]->(r:Record)
USING INDEX SEEK n:Node(user_id, name_key)
WHERE n.name_key IS NOT NULL AND r.known_to IS NULL AND coalesce(r.valid_to > r.known_from, true)
RETURN r.content_type AS type, count(r) AS records, sum(r.items) AS items, count(CASE WHEN r.privacy = 'private' THEN r END) AS private,
       date(min(coalesce(r.occurred_at, r.known_from))) AS first, date(max(coalesce(r.occurred_at, r.known_from))) AS last
ORDER BY records DESC, type LIMIT $limit
