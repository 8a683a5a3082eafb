-- From template 9 to 10: words are counted in the table of all nodes, and records and items are read under a policy that is planned faster.
-- May be repeated.
CREATE OR REPLACE FUNCTION engine.upgrade_node_to_10(p_node uuid, p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM engine.gather_words(p_schema);
    PERFORM engine.apply_node_policies(p_node, p_schema);
END $$;
