-- name: create
-- Purpose: the integration of that name, made where there is none. Service only.
-- Parameters: integration_id, workspace, name, key. Returns: integration_id, name, created_at, created;
--   of the other one where its name looks like this.
SELECT integration_id, name, created_at, created
FROM engine.create_integration(%(integration_id)s::uuid, %(workspace)s::text, %(name)s::text, %(key)s::text)

-- name: list
-- Purpose: integrations of a workspace in the order of their names, one page. Service only.
-- Parameters: workspace, after (name), limit. Returns: integration_id, name, created_at, created (no).
SELECT i.integration_id, i.name, i.created_at, false AS created
FROM engine.integrations AS i JOIN engine.workspaces AS w USING (workspace_id)
WHERE w.name = %(workspace)s AND i.name > %(after)s
ORDER BY i.name LIMIT %(limit)s
