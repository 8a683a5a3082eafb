-- Purpose: an integration for the leak fuzzer, in a workspace of its own. Service only. Parameters: integration_id, name.
-- Returns: nothing.
WITH elsewhere AS (
    INSERT INTO engine.workspaces (workspace_id, name) VALUES (gen_random_uuid(), %(name)s) RETURNING workspace_id
)
INSERT INTO engine.integrations (integration_id, workspace_id, name)
SELECT %(integration_id)s::uuid, e.workspace_id, %(name)s FROM elsewhere AS e
