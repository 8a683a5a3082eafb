-- Lets a write of a user begin: it waits for a step of a forgetting of that user, and the next step for it. To the end of the transaction.
CREATE OR REPLACE FUNCTION engine.hold_writes(p_user uuid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('neurigraph writes ' || p_user, 0));
END $$;
GRANT EXECUTE ON FUNCTION engine.hold_writes TO neurigraph_request;
