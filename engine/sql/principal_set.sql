-- Purpose: names the principal of this transaction; gone with its end.
-- Parameters: kind, id, scopes (those a search looks at as JSON, '' elsewhere). Returns: one row, ignored.
SELECT set_config('engine.principal_kind', %(kind)s, true), set_config('engine.principal_id', %(id)s, true),
       set_config('engine.searched_scopes', %(scopes)s, true)
