-- Whether the principal is the owner of this node. Policies for private content call it.
CREATE OR REPLACE FUNCTION engine.owns(p_node uuid) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kind text := engine.principal_kind();
    id uuid := engine.principal_id();
BEGIN
    RETURN kind = 'user' AND EXISTS (SELECT FROM engine.nodes AS n WHERE n.node_id = p_node AND n.user_id = id);
END $$;
GRANT EXECUTE ON FUNCTION engine.owns TO neurigraph_request;
