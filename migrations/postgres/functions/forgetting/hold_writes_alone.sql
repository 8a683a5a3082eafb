-- Lets a step of a forgetting begin: no write of the user goes on beside it. In place of `hold_writes`, never after it: two that raise a shared lock wait for each other.
-- It waits 5 seconds for the writes that go on, because those that come later queue behind it. To the end of the transaction.
CREATE OR REPLACE FUNCTION engine.hold_writes_alone(p_user uuid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '5s' AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('neurigraph writes ' || p_user, 0));
END $$;
