-- Refuses (NG426) if one of these nodes has tables of an older version: scopes need the current tables.
CREATE OR REPLACE FUNCTION engine.require_current(p_nodes uuid[]) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM engine.nodes AS n WHERE n.node_id = ANY (p_nodes) AND n.template_version < engine.template_version()) THEN
        RAISE EXCEPTION 'The tables of a node are of an older version.' USING ERRCODE = 'NG426';
    END IF;
END $$;
GRANT EXECUTE ON FUNCTION engine.require_current TO neurigraph_request;
