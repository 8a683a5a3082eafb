-- Trigger: lines of an ingest session are deleted only together with it, or by a forgetting.
CREATE OR REPLACE FUNCTION engine.refuse_change_of_session() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'UPDATE' OR EXISTS (SELECT FROM engine.ingest_sessions AS s WHERE s.session_id = OLD.session_id)
       AND NOT engine.may_erase(TG_TABLE_SCHEMA, TG_TABLE_NAME, to_jsonb(OLD), NULL) THEN
        RAISE EXCEPTION 'This table is append-only.' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN OLD;
END $$;
