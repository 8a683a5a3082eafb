-- Prepares a node for the present versions: newest template, columns of the right type. Returns false if the node is
-- locked (short lock timeout); the caller retries.
CREATE OR REPLACE FUNCTION engine.prepare_slots(p_node uuid) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '250ms' AS $$
DECLARE
    node engine.nodes;
BEGIN
    PERFORM engine.upgrade_nodes(ARRAY[p_node], 1);
    SELECT * INTO node FROM engine.nodes AS n WHERE n.node_id = p_node;
    IF node.template_version < engine.template_version() THEN
        RETURN false;
    END IF;
    PERFORM engine.shape_slots(node.schema_name);
    RETURN true;
EXCEPTION WHEN lock_not_available THEN
    RETURN false;
END $$;
