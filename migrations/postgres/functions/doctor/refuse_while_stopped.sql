-- Trigger: refuses writes while writing is stopped. Every commit adds a row to the outbox, so it covers writes of any kind, and appended turns
-- and logged events. Ingests are refused when they begin, before a model is called or a file is put.
CREATE OR REPLACE FUNCTION engine.refuse_while_stopped() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    reason text := (SELECT i.stopped_because FROM engine.installation AS i WHERE i.stopped_because IS NOT NULL);
BEGIN
    IF reason IS NOT NULL THEN
        RAISE EXCEPTION '%', reason USING ERRCODE = 'NG503';
    END IF;
    RETURN NULL;
END $$;
