-- Purpose: the grants in force on a node, in the form in which they are applied in the graph. Service only. Parameters: node_id. Returns: line.
SELECT jsonb_build_object(
           'grant_id', g.grant_id, 'node_id', g.node_id, 'subject_id', g.subject_id, 'subject_kind', g.subject_kind, 'mode', g.mode,
           'depth', g.depth, 'fields', g.fields, 'expires_at', to_char(g.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
           'granted_at', to_char(g.granted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) AS line
FROM engine.grants AS g WHERE g.node_id = %(node_id)s AND g.revoked_at IS NULL LIMIT 10000
