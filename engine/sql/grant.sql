-- name: give
-- Purpose: gives a right on a node, or finds the same one. Parameters: the columns. Returns: grant_id, granted_at, created, payload (the
--   graph's change; null where it was given before).
SELECT grant_id, granted_at, created, payload FROM engine.grant_node(%(grant_id)s, %(node_id)s, %(subject_kind)s, %(subject_id)s, %(mode)s, %(depth)s::integer, %(fields)s,
                                %(purpose)s, %(expires_at)s, %(past)s)

-- name: page
-- Purpose: grants of the principal's graph, one page by id. Parameters: node_id (or null), ended (those too), after (id or null), limit.
-- Returns: the columns of Grant.
SELECT grant_id, node_id, n.name AS node_name, subject_kind, subject_id, engine.subject_name(subject_id) AS subject_name, mode, depth,
       fields, purpose, granted_at, expires_at, revoked_at, past
FROM engine.grants AS g JOIN engine.nodes AS n USING (node_id)
WHERE (%(node_id)s::uuid IS NULL OR node_id = %(node_id)s) AND (%(after)s::uuid IS NULL OR grant_id > %(after)s)
  AND (%(ended)s OR revoked_at IS NULL AND (expires_at IS NULL OR expires_at > statement_timestamp()))
ORDER BY grant_id LIMIT %(limit)s

-- name: preview
-- Purpose: what a grant would open, for the user of the graph. Parameters: node_id, depth (layers below it), below (confidence), titles
--   (how many of each node). Returns: a row a node, at most 200, the granted one first: node_id, path, records, items, private_records,
--   titles, unsure (decisions).
SELECT p.node_id, p.path, p.records, p.items, p.private_records, p.titles, p.unsure
FROM engine.grant_preview(%(node_id)s::uuid, %(depth)s::integer, %(below)s::real, %(titles)s::integer) AS p LIMIT 200

-- name: revoke
-- Purpose: ends a grant. Parameters: commit_id, grant_id. Returns: commit_id (of the commit that ended it, or null), revoked_at, changed (whether it ended now), payload
--   (the graph's change).
SELECT commit_id, revoked_at, changed, payload FROM engine.revoke_grant(%(commit_id)s, %(grant_id)s)
