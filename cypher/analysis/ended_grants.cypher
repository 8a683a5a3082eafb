// Purpose: grants that hold no longer: revoked, or past their time.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: reader (name of a persona, else the id), kind, node, mode, given and ended (days), how (revoked or expired).
// Index: node_name.
// Result on the bundled history:
//   none
CYPHER 25
MATCH (n:Node {user_id: $user_id})<-[g:GRANTED]-(s:Subject)
USING INDEX SEEK n:Node(user_id, name_key)
WHERE n.name_key IS NOT NULL AND (g.revoked_at IS NOT NULL OR g.expires_at <= datetime())
RETURN coalesce(COLLECT { MATCH (p:Node {node_id: s.subject_id}) USING INDEX SEEK p:Node(node_id) RETURN p.name }[0], s.subject_id) AS reader, s.kind AS kind, n.name AS node, g.mode AS mode,
       date(g.granted_at) AS given, date(coalesce(g.revoked_at, g.expires_at)) AS ended, CASE WHEN g.revoked_at IS NULL THEN 'expired' ELSE 'revoked' END AS how
ORDER BY ended, reader, node LIMIT $limit
