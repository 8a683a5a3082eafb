-- Trigger: a permit is for a forgetting that goes on, and does not end before this transaction has.
CREATE OR REPLACE FUNCTION engine.permit_running() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM engine.forgettings AS f WHERE f.forgetting_id = NEW.forgetting_id AND f.state IN ('running', 'settling') FOR SHARE) THEN
        RAISE EXCEPTION 'There is no such forgetting that goes on.' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;
