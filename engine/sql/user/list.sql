-- Purpose: users of a workspace in the order of their handles, one page. Service only.
-- Parameters: workspace, after (handle), limit. Returns: user_id, handle, display_name, created (no), archived.
SELECT u.user_id, u.handle, u.display_name, false AS created, coalesce(cardinality(r.archivings) %% 2 = 1, false) AS archived
FROM engine.users AS u JOIN engine.workspaces AS w USING (workspace_id) LEFT JOIN engine.nodes AS r ON r.node_id = u.user_id
WHERE w.name = %(workspace)s AND u.handle > %(after)s
ORDER BY u.handle LIMIT %(limit)s
