-- Purpose: a user of a workspace by id. Service only.
-- Parameters: workspace, user_id. Returns: user_id, handle, display_name, created (no), archived; none when there is no such user.
SELECT u.user_id, u.handle, u.display_name, false AS created, coalesce(cardinality(r.archivings) %% 2 = 1, false) AS archived
FROM engine.users AS u JOIN engine.workspaces AS w USING (workspace_id) LEFT JOIN engine.nodes AS r ON r.node_id = u.user_id
WHERE w.name = %(workspace)s AND u.user_id = %(user_id)s
