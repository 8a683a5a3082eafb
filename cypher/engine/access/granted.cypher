// Purpose: applies a grant in the graph. Idempotent by grant_id; one that was revoked meanwhile stays revoked.
// Parameters: grant {grant_id, node_id, subject_id, subject_kind, mode, depth, fields, granted_at, expires_at (ISO or null), past}.
// Returns: grant_id; no row when the node's shell is missing.
MATCH (n:Node {node_id: $grant.node_id})
MERGE (s:Subject {subject_id: $grant.subject_id}) ON CREATE SET s.kind = $grant.subject_kind
MERGE (s)-[g:GRANTED {grant_id: $grant.grant_id}]->(n)
SET g.mode = $grant.mode, g.depth = $grant.depth, g.fields = $grant.fields, g.granted_at = datetime($grant.granted_at),
    g.expires_at = datetime($grant.expires_at), g.past = coalesce($grant.past, false),
    g.subject_id = s.subject_id, g.user_id = n.user_id
RETURN g.grant_id AS grant_id
