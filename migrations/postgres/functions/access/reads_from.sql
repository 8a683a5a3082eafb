-- Since when, on both clocks, the principal may read the node, or that kind of its content; NULL if it may not.
CREATE OR REPLACE FUNCTION engine.reads_from(p_node uuid, p_field text) RETURNS timestamptz
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kind text := engine.principal_kind();
    id uuid := engine.principal_id();
    node engine.nodes;
BEGIN
    IF NOT engine.can('read', p_node, p_field) THEN
        RETURN NULL;
    END IF;
    IF kind = 'user' THEN
        RETURN '-infinity';
    END IF;
    SELECT * INTO node FROM engine.nodes AS n WHERE n.node_id = p_node;
    RETURN least(engine.granted_from('read', node.lineage, p_field),
                 CASE WHEN kind = 'persona' AND id = ANY (node.lineage) THEN engine.placed_below(node.lineage, id) END);
END $$;
GRANT EXECUTE ON FUNCTION engine.reads_from TO neurigraph_request;
