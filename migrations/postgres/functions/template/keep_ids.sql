-- Ids are given once: a row that took another id would tell by a conflict, or by a missing reference, which ids there are.
CREATE OR REPLACE FUNCTION engine.keep_ids() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'Ids do not change.' USING ERRCODE = 'insufficient_privilege';
END $$;
