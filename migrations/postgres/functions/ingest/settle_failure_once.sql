-- Trigger: an open entry counts attempts, keeps how its source was last requested, and is settled once; nothing else of it changes; a forgetting deletes it.
CREATE OR REPLACE FUNCTION engine.settle_failure_once() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'DELETE' AND engine.may_erase(TG_TABLE_SCHEMA, TG_TABLE_NAME, to_jsonb(OLD), NULL) THEN
        RETURN OLD;
    ELSIF TG_OP <> 'UPDATE' OR OLD.state <> 'open'
       OR to_jsonb(OLD) - '{attempts,last_at,cause,detail,session_id,reference,state,settled_at,note}'::text[]
          <> to_jsonb(NEW) - '{attempts,last_at,cause,detail,session_id,reference,state,settled_at,note}'::text[] THEN
        RAISE EXCEPTION 'A failure can only be settled, and only once.' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;
