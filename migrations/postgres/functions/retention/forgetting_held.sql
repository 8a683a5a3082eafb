-- Trigger: no forgetting is asked for, or goes on from its beginning, whose user is held, or of whom anything is held that it would take. It waits for a hold that is
-- being set, and the hold for it.
CREATE OR REPLACE FUNCTION engine.forgetting_held() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('neurigraph writes ' || NEW.user_id, 0));  -- as `hold_writes`, also for a user who is hidden
    PERFORM engine.refuse_held(NEW.kind, NEW.user_id, '{}', '{}', '{}');
    RETURN NEW;
END $$;
