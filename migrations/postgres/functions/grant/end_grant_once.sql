-- Trigger: a grant is revoked once, and nothing else of it ever changes; a forgetting deletes it.
CREATE OR REPLACE FUNCTION engine.end_grant_once() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'DELETE' AND engine.may_erase(TG_TABLE_SCHEMA, TG_TABLE_NAME, to_jsonb(OLD), NULL) THEN
        RETURN OLD;
    ELSIF TG_OP <> 'UPDATE' OR OLD.revoked_at IS NOT NULL OR NEW.revoked_at IS NULL
       OR to_jsonb(OLD) - 'revoked_at' <> to_jsonb(NEW) - 'revoked_at' THEN
        RAISE EXCEPTION 'A grant can only be revoked, and only once.' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;
