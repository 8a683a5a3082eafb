-- Refuses (NG426) where one of these nodes has tables of an older version: what is scoped needs those of now.
CREATE OR REPLACE FUNCTION engine.require_current(p_nodes uuid[]) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM engine.nodes AS n WHERE n.node_id = ANY (p_nodes) AND n.template_version < engine.template_version()) THEN
        RAISE EXCEPTION 'A node is of an older version.' USING ERRCODE = 'NG426';
    END IF;
END $$;
GRANT EXECUTE ON FUNCTION engine.require_current TO neurigraph_request;
