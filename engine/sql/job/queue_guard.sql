-- Purpose: hides the queue's tables from every role but their owner, also where too much was granted. Not forced on the owner: Postgres
-- would then leave out of an error which key was taken, and the library reads that. Its functions are the owner's alone to call, and
-- find nothing in a temporary schema first. Parameters: none. Returns: nothing.
DO $$
DECLARE
    part record;
BEGIN
    FOR part IN SELECT c.relname FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
                WHERE n.nspname = '_queue' AND c.relkind IN ('r', 'p') AND NOT c.relrowsecurity
    LOOP
        EXECUTE format('ALTER TABLE _queue.%I ENABLE ROW LEVEL SECURITY', part.relname);
    END LOOP;
    PERFORM engine.pin_search_paths('_queue', '_queue, pg_catalog');
    REVOKE ALL ON ALL ROUTINES IN SCHEMA _queue FROM PUBLIC;
END $$
