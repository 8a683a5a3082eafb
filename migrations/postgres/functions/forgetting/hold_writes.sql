-- Lets a write of a user begin: it waits for a step of a forgetting of that user, and the next step for it. To the end of the transaction. NG404 for a user who is being
-- forgotten: a process that knew the user before writes no more. It is asked once the lock is had, in a snapshot of its own: what hides a user holds the lock alone.
CREATE OR REPLACE FUNCTION engine.hold_writes(p_user uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('neurigraph writes ' || p_user, 0));
    IF EXISTS (SELECT FROM engine.users AS u WHERE u.user_id = p_user AND u.forgotten_at IS NOT NULL) THEN
        RAISE EXCEPTION 'There is no such user.' USING ERRCODE = 'NG404';
    END IF;
END $$;
GRANT EXECUTE ON FUNCTION engine.hold_writes TO neurigraph_request;
