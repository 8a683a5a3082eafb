// Purpose: ends a grant in the graph; also one that is not applied there yet. Idempotent by grant_id.
// Parameters: grant {grant_id, node_id, subject_id, subject_kind}. Returns: grant_id; no row when the node's shell is missing.
MATCH (n:Node {node_id: $grant.node_id})
MERGE (s:Subject {subject_id: $grant.subject_id}) ON CREATE SET s.kind = $grant.subject_kind
MERGE (s)-[g:GRANTED {grant_id: $grant.grant_id}]->(n)
SET g.revoked_at = coalesce(g.revoked_at, datetime()), g.subject_id = s.subject_id, g.user_id = n.user_id
RETURN g.grant_id AS grant_id
