-- Purpose: names the principal of this transaction; gone with its end.
-- Parameters: kind, id. Returns: one row, ignored.
SELECT set_config('engine.principal_kind', %(kind)s, true), set_config('engine.principal_id', %(id)s, true)
