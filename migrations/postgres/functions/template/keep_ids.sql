-- Trigger: ids never change. Otherwise a conflict or a missing reference would reveal which hidden ids exist.
CREATE OR REPLACE FUNCTION engine.keep_ids() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'Ids do not change.' USING ERRCODE = 'insufficient_privilege';
END $$;
