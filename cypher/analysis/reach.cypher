// Purpose: how much each reader can see by the grants that hold, each node counted once.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: reader (name of a persona, else the id), kind, nodes, records (without private ones), private (records that are kept back).
// Index: node_name.
// Result on the bundled history:
//   none
CYPHER 25
MATCH (n:Node {user_id: $user_id})<-[g:GRANTED]-(s:Subject)
USING INDEX SEEK n:Node(user_id, name_key)
WHERE n.name_key IS NOT NULL AND g.revoked_at IS NULL AND coalesce(g.expires_at > datetime(), true)
MATCH way = (n)-[:HAS_CHILD*0..5]->(below:Node)
WHERE length(way) <= g.depth AND below.known_to IS NULL
WITH DISTINCT s, below
OPTIONAL MATCH (below)-[:HOLDS]->(r:Record)
WHERE r.known_to IS NULL AND coalesce(r.valid_to > r.known_from, true)
WITH s, below, count(r) AS records, count(CASE WHEN r.privacy = 'private' THEN r END) AS private
RETURN coalesce(COLLECT { MATCH (p:Node {node_id: s.subject_id}) USING INDEX SEEK p:Node(node_id) RETURN p.name }[0], s.subject_id) AS reader, s.kind AS kind, count(below) AS nodes,
       sum(records - private) AS records, sum(private) AS private
ORDER BY nodes DESC, reader LIMIT $limit
