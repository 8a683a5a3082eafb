-- Purpose: many grants to one subject on the nodes of one user, in rounds that differ by purpose. Service only.
-- Parameters: user_id, subject_id, many. Returns: grant_id, node_id, granted_at.
INSERT INTO engine.grants (grant_id, user_id, node_id, subject_kind, subject_id, mode, purpose)
SELECT gen_random_uuid(), n.user_id, n.node_id, 'third_party', %(subject_id)s, 'read', 'round ' || r
FROM engine.nodes AS n, generate_series(1, %(many)s) AS r WHERE n.user_id = %(user_id)s LIMIT %(many)s
RETURNING grant_id, node_id, granted_at
