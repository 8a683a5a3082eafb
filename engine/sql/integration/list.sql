-- Purpose: integrations of a workspace in the order of their names, one page. Service only.
-- Parameters: workspace, after (name), limit. Returns: integration_id, name, created_at, created (no).
SELECT i.integration_id, i.name, i.created_at, false AS created
FROM engine.integrations AS i JOIN engine.workspaces AS w USING (workspace_id)
WHERE w.name = %(workspace)s AND i.name > %(after)s
ORDER BY i.name LIMIT %(limit)s
