-- The user whose graph the principal belongs to: the user itself, a persona's owner; NULL for an integration.
CREATE OR REPLACE FUNCTION engine.principal_graph() RETURNS uuid
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kind text := engine.principal_kind();
    id uuid := engine.principal_id();
BEGIN
    RETURN CASE kind
        WHEN 'user' THEN id
        WHEN 'persona' THEN (SELECT n.user_id FROM engine.nodes AS n WHERE n.node_id = id AND n.node_type = 'persona')
    END;
END $$;
GRANT EXECUTE ON FUNCTION engine.principal_graph TO neurigraph_request;
