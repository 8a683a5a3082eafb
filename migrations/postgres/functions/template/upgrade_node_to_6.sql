-- From template 5 to 6. The policies of 7 include those of 6 and need columns of 7: the next step creates both.
CREATE OR REPLACE FUNCTION engine.upgrade_node_to_6(p_node uuid, p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
END $$;
