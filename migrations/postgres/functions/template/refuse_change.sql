-- Trigger: makes a log append-only. Only entries of a discarded write are deleted, together with it, and what a forgetting has a permit for.
CREATE OR REPLACE FUNCTION engine.refuse_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('engine.discarding', true) = 'on'
       AND engine.is_discarded(TG_TABLE_SCHEMA, TG_TABLE_NAME, to_jsonb(OLD)) THEN
        RETURN OLD;
    ELSIF TG_OP = 'DELETE' AND engine.may_erase(TG_TABLE_SCHEMA, TG_TABLE_NAME, to_jsonb(OLD), NULL) THEN
        RETURN OLD;
    ELSIF TG_OP = 'UPDATE' AND engine.may_erase(TG_TABLE_SCHEMA, TG_TABLE_NAME, to_jsonb(OLD), to_jsonb(NEW)) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'This table is append-only.' USING ERRCODE = 'insufficient_privilege';
END $$;
