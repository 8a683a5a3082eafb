-- Purpose: whose token it is, where it is in force. Service only.
-- Parameters: workspace, token_hash. Returns: principal_kind, principal_id; none for an unknown or ended one.
SELECT principal_kind, principal_id FROM engine.authenticate_token(%(workspace)s::text, %(token_hash)s::bytea)
