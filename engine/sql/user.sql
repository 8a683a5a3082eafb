-- name: by_handle
-- Purpose: a user of a workspace by handle. Service only.
-- Parameters: workspace, handle. Returns: user_id, handle, display_name, created (no), archived; none when there is no such user.
SELECT u.user_id, u.handle, u.display_name, false AS created, coalesce(cardinality(r.archivings) %% 2 = 1, false) AS archived
FROM engine.users AS u JOIN engine.workspaces AS w USING (workspace_id) LEFT JOIN engine.nodes AS r ON r.node_id = u.user_id
WHERE w.name = %(workspace)s AND u.handle = %(handle)s AND u.forgotten_at IS NULL

-- name: by_id
-- Purpose: a user of a workspace by id. Service only.
-- Parameters: workspace, user_id. Returns: user_id, handle, display_name, created (no), archived; none when there is no such user.
SELECT u.user_id, u.handle, u.display_name, false AS created, coalesce(cardinality(r.archivings) %% 2 = 1, false) AS archived
FROM engine.users AS u JOIN engine.workspaces AS w USING (workspace_id) LEFT JOIN engine.nodes AS r ON r.node_id = u.user_id
WHERE w.name = %(workspace)s AND u.user_id = %(user_id)s AND u.forgotten_at IS NULL

-- name: list
-- Purpose: users of a workspace in the order of their handles, one page. Service only.
-- Parameters: workspace, after (handle), limit. Returns: user_id, handle, display_name, created (no), archived.
SELECT u.user_id, u.handle, u.display_name, false AS created, coalesce(cardinality(r.archivings) %% 2 = 1, false) AS archived
FROM engine.users AS u JOIN engine.workspaces AS w USING (workspace_id) LEFT JOIN engine.nodes AS r ON r.node_id = u.user_id
WHERE w.name = %(workspace)s AND u.handle > %(after)s AND u.forgotten_at IS NULL
ORDER BY u.handle LIMIT %(limit)s

-- name: provision
-- Purpose: registers a user with the root node, or finds the one with this handle. Service only.
-- Parameters: user_id, workspace, handle, handle_key, name, key, schemas, payload. Returns: one row; of a look-alike only taken_by.
SELECT user_id, node_id, schema_name, display_name, state, created, taken_by
FROM engine.provision_user(%(user_id)s, %(workspace)s, %(handle)s, %(handle_key)s, %(name)s, %(key)s, %(schemas)s, %(payload)s)

-- name: roots_known
-- Purpose: which of these are schemas of roots: files of the engine lie under them. Service only. Parameters: roots. Returns: schema_name.
SELECT n.schema_name FROM engine.nodes AS n WHERE n.layer = 0 AND n.schema_name = ANY (%(roots)s::text[])
