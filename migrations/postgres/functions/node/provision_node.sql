-- Registers a node and creates its schema, or returns the sibling of that name. Schema names are tried
-- in the order given (the readable one first, then one that cannot clash).
CREATE OR REPLACE FUNCTION engine.provision_node(p_node uuid, p_parent uuid, p_name text, p_key text, p_type text, p_schemas text[], p_payload jsonb)
RETURNS TABLE (node_id uuid, schema_name text, layer integer, state text, node_type text, created boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT engine.owns(p_parent) THEN
        RAISE EXCEPTION 'There is no such node.' USING ERRCODE = 'NG404';
    END IF;
    RETURN QUERY SELECT * FROM engine.provision_own_node(p_node, p_parent, p_name, p_key, p_type, p_schemas, p_payload);
END $$;
GRANT EXECUTE ON FUNCTION engine.provision_node TO neurigraph_request;
