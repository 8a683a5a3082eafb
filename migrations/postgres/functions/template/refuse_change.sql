-- Trigger: makes a log append-only. Only entries of a discarded write are deleted, together with it.
CREATE OR REPLACE FUNCTION engine.refuse_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'DELETE' AND TG_TABLE_NAME IN ('delta_log', 'raw_resources', 'document_versions', 'assignments')
       AND current_setting('engine.discarding', true) = 'on' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'This table is append-only.' USING ERRCODE = 'insufficient_privilege';
END $$;
