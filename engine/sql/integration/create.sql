-- Purpose: the integration of that name, made where there is none. Service only.
-- Parameters: integration_id, workspace, name, key. Returns: integration_id, name, created_at, created;
--   of the other one where its name looks like this.
SELECT integration_id, name, created_at, created
FROM engine.create_integration(%(integration_id)s::uuid, %(workspace)s::text, %(name)s::text, %(key)s::text)
