-- Prepares a node for the present versions: columns of the right type. Returns false if the node is
-- locked (short lock timeout); the caller retries.
CREATE OR REPLACE FUNCTION engine.prepare_slots(p_node uuid) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '250ms' AS $$
BEGIN
    PERFORM engine.shape_slots(n.schema_name) FROM engine.nodes AS n WHERE n.node_id = p_node;
    RETURN true;
EXCEPTION WHEN lock_not_available THEN
    RETURN false;
END $$;
