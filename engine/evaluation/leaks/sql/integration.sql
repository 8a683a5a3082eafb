-- Purpose: an integration for the leak fuzzer, in the workspace of a user. Service only.
-- Parameters: integration_id, user_id, name. Returns: nothing.
INSERT INTO engine.integrations (integration_id, workspace_id, name)
SELECT %(integration_id)s, u.workspace_id, %(name)s FROM engine.users AS u WHERE u.user_id = %(user_id)s
