-- Purpose: a user of a workspace by handle. Service only.
-- Parameters: workspace, handle. Returns: user_id, handle, display_name; none when there is no such user.
SELECT u.user_id, u.handle, u.display_name
FROM engine.users AS u JOIN engine.workspaces AS w USING (workspace_id)
WHERE w.name = %(workspace)s AND u.handle = %(handle)s
