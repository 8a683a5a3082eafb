-- Purpose: grants of the principal's graph, one page by id. Parameters: node_id (or null), ended (those too), after (id or null), limit.
-- Returns: the columns of Grant.
SELECT grant_id, node_id, n.name AS node_name, subject_kind, subject_id, engine.subject_name(subject_id) AS subject_name, mode, depth,
       fields, purpose, granted_at, expires_at, revoked_at, past
FROM engine.grants AS g JOIN engine.nodes AS n USING (node_id)
WHERE (%(node_id)s::uuid IS NULL OR node_id = %(node_id)s) AND (%(after)s::uuid IS NULL OR grant_id > %(after)s)
  AND (%(ended)s OR revoked_at IS NULL AND (expires_at IS NULL OR expires_at > statement_timestamp()))
ORDER BY grant_id LIMIT %(limit)s
