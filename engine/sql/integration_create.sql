-- Purpose: the integration of that name, made where there is none. Service only.
-- Parameters: integration_id, workspace, name. Returns: integration_id, name, created_at, created.
SELECT integration_id, name, created_at, created
FROM engine.create_integration(%(integration_id)s::uuid, %(workspace)s::text, %(name)s::text)
