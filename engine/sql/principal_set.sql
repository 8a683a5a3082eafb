-- Purpose: names the principal of this transaction; gone with its end.
-- Parameters: kind, id, searched (what a search is narrowed to as JSON, '' elsewhere). Returns: one row, ignored.
SELECT set_config('engine.principal_kind', %(kind)s, true), set_config('engine.principal_id', %(id)s, true),
       set_config('engine.searched', %(searched)s, true)
