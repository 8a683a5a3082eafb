// Purpose: files in the manifests of nodes, those first of which most nodes hold a part.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: file (its name), type, nodes and records (that hold a part of it), items, version (of a document, else none), states (of the nodes).
// Index: node_name.
// Result on the bundled history with limit 6:
//   file                               type          nodes  records  items  version  states
//   2024-11-29-after-thanksgiving.txt  conversation  7      7        16              dormant
//   2026-03-15-two-years.txt           conversation  7      7        14              dormant
//   2024-08-11-library-order.txt       conversation  5      5        16              dormant
//   2024-10-15-before-the-knee.txt     conversation  5      5        16              dormant
//   2025-01-12-the-books.txt           conversation  5      5        16              dormant
//   2025-11-09-copper-loon.txt         conversation  5      5        16              dormant
CYPHER 25
MATCH (n:Node {user_id: $user_id})-[:HOLDS]->(r:Record)
USING INDEX SEEK n:Node(user_id, name_key)
WHERE n.name_key IS NOT NULL AND r.known_to IS NULL AND r.file_id IS NOT NULL
WITH coalesce(r.source_id, r.record_id) AS source, r.file_name AS file, r.content_type AS type, collect(DISTINCT n) AS nodes, count(r) AS records,
     sum(r.items) AS items, max(r.version) AS version
RETURN file, type, size(nodes) AS nodes, records, items, version, COLLECT { UNWIND nodes AS n RETURN DISTINCT n.state ORDER BY n.state } AS states
ORDER BY nodes DESC, items DESC, file LIMIT $limit
