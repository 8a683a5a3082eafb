-- Purpose: gives every function of the engine a search path that names pg_temp last, so that none finds what its caller made there.
-- Parameters: none. Returns: one row, ignored.
SELECT engine.pin_search_paths('engine', 'pg_catalog')
