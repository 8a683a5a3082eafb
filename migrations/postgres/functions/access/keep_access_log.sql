-- Trigger: an entry never changes, except for its count of refused requests; it is deleted when it is old, and not before 30 days, but by a forgetting, which may also take away who it was.
CREATE OR REPLACE FUNCTION engine.keep_access_log() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    counted text[] := '{requests,last_at,node_id}';
BEGIN
    IF TG_OP = 'DELETE' AND OLD.occurred_at < statement_timestamp() - interval '30 days' THEN
        RETURN OLD;
    END IF;
    IF TG_OP = 'UPDATE' AND OLD.event = 'refused' AND NEW.requests = OLD.requests + 1
       AND to_jsonb(OLD) - counted = to_jsonb(NEW) - counted THEN
        RETURN NEW;
    END IF;
    IF TG_OP = 'DELETE' AND engine.may_erase(TG_TABLE_SCHEMA, TG_TABLE_NAME, to_jsonb(OLD), NULL) THEN
        RETURN OLD;
    END IF;
    IF TG_OP = 'UPDATE' AND engine.may_erase(TG_TABLE_SCHEMA, TG_TABLE_NAME, to_jsonb(OLD), to_jsonb(NEW)) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'This table is append-only.' USING ERRCODE = 'insufficient_privilege';
END $$;
