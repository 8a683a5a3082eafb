-- Purpose: whether the workspace has such a principal. Service only.
-- Parameters: workspace, kind, principal_id. Returns: graph (whose it is, or null); none when there is no such principal.
SELECT graph FROM engine.principal_in(%(workspace)s::text, %(kind)s::text, %(principal_id)s::uuid)
