-- Purpose: registers a user with the root node, or finds the one with this handle. Service only.
-- Parameters: user_id, workspace, handle, name, key, schemas, payload. Returns: one row.
SELECT * FROM engine.provision_user(%(user_id)s, %(workspace)s, %(handle)s, %(name)s, %(key)s, %(schemas)s, %(payload)s)
