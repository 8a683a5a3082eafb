-- Purpose: whether the workspace has such a principal. Service only.
-- Parameters: workspace, kind, principal_id. Returns: known; no row when there is no such principal.
SELECT true AS known FROM engine.principal_in(%(workspace)s::text, %(kind)s::text, %(principal_id)s::uuid)
