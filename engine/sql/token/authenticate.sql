-- Purpose: whose token it is, where it is in force. Service only.
-- Parameters: workspace, token_hash. Returns: kind, principal_id, workspace; none for an unknown or ended one.
SELECT principal_kind AS kind, principal_id, %(workspace)s::text AS workspace
FROM engine.authenticate_token(%(workspace)s::text, %(token_hash)s::bytea)
