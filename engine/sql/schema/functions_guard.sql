-- Purpose: takes every function of the engine from PUBLIC, and gives it a search path that names pg_temp last, so that none finds what
-- its caller made there. Parameters: none. Returns: nothing.
DO $$
BEGIN
    REVOKE ALL ON ALL FUNCTIONS IN SCHEMA engine FROM PUBLIC;
    PERFORM engine.pin_search_paths('engine', 'pg_catalog');
END $$
