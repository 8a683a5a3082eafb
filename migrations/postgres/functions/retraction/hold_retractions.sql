-- The user whose retractions the principal may change, after waiting for other changes of them; NG404 for anyone else.
CREATE OR REPLACE FUNCTION engine.hold_retractions() RETURNS uuid
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    owner uuid := engine.principal_user();
BEGIN
    IF owner IS NULL THEN
        RAISE EXCEPTION 'There is no such retraction.' USING ERRCODE = 'NG404';
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended(format('neurigraph retractions %s', owner), 0));
    RETURN owner;
END $$;
