-- The nodes of which the principal may read or write that kind of content, with their users: the rules of engine.can for all nodes, for
-- policies of tables that hold rows of many nodes. Only nodes below a right that is in force are looked at.
CREATE OR REPLACE FUNCTION engine.nodes_within(p_mode text, p_field text) RETURNS TABLE (user_id uuid, node_id uuid)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    kind text := engine.principal_kind();
    id uuid := engine.principal_id();
    tops uuid[] := ARRAY(SELECT g.node_id FROM engine.grants AS g
                         WHERE g.subject_id = id AND g.revoked_at IS NULL AND (g.expires_at IS NULL OR g.expires_at > statement_timestamp()))
                   || CASE WHEN kind = 'persona' AND p_mode = 'read' THEN ARRAY[id] ELSE '{}' END;
BEGIN
    IF kind = 'user' AND p_mode IN ('read', 'write') THEN
        RETURN QUERY SELECT n.user_id, n.node_id FROM engine.nodes AS n WHERE n.user_id = id;
    ELSE
        RETURN QUERY SELECT n.user_id, n.node_id FROM engine.nodes AS n
                     WHERE n.user_id IN (SELECT t.user_id FROM engine.nodes AS t WHERE t.node_id = ANY (tops))
                       AND n.lineage && tops AND engine.can(p_mode, n.node_id, p_field);
    END IF;
END $$;
GRANT EXECUTE ON FUNCTION engine.nodes_within TO neurigraph_request;
