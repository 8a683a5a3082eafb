-- Purpose: registers a user with the root node, or finds the one with this handle. Service only.
-- Parameters: user_id, workspace, handle, handle_key, name, key, schemas, payload. Returns: one row; of a look-alike only taken_by.
SELECT user_id, node_id, schema_name, display_name, state, created, taken_by
FROM engine.provision_user(%(user_id)s, %(workspace)s, %(handle)s, %(handle_key)s, %(name)s, %(key)s, %(schemas)s, %(payload)s)
