-- Whether the principal of this transaction may read or write that node, or one kind of its content. The one place where
-- the rules live for Postgres: every policy calls it, once a scan. Missing and forbidden both return false.
CREATE OR REPLACE FUNCTION engine.can(p_mode text, p_node uuid, p_field text) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kind text := engine.principal_kind();
    id uuid := engine.principal_id();
BEGIN
    RETURN p_mode IN ('read', 'write') AND EXISTS (
        SELECT FROM engine.nodes AS n
        WHERE n.node_id = p_node AND CASE kind
            WHEN 'user' THEN n.user_id = id
            WHEN 'persona' THEN n.user_id = engine.principal_graph()
                AND (p_mode = 'read' AND id = ANY (n.lineage) OR engine.granted(p_mode, n.lineage, p_field))
            WHEN 'third_party' THEN p_mode = 'read' AND engine.granted(p_mode, n.lineage, p_field)
            ELSE false END);
END $$;
GRANT EXECUTE ON FUNCTION engine.can(text,uuid,text) TO neurigraph_request;

CREATE OR REPLACE FUNCTION engine.can(p_mode text, p_node uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN engine.can(p_mode, p_node, NULL);
GRANT EXECUTE ON FUNCTION engine.can(text,uuid) TO neurigraph_request;
