-- Who could see a node at a time: its owner, the personas above it, and the subjects of grants in force then.
CREATE OR REPLACE FUNCTION engine.audience(p_node uuid, p_at timestamptz)
RETURNS TABLE (subject_kind text, subject_id uuid, subject_name text, reason text, mode text, depth integer, fields text[], grant_id uuid,
               past boolean)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    node engine.nodes;
BEGIN
    SELECT * INTO node FROM engine.nodes AS n WHERE n.node_id = p_node AND n.user_id = engine.principal_user();
    IF node.node_id IS NULL THEN
        RAISE EXCEPTION 'There is no such node.' USING ERRCODE = 'NG404';
    END IF;
    RETURN QUERY
        SELECT 'user', u.user_id, u.display_name, 'owner', 'read_write', 5, '{records,items,files}'::text[], NULL::uuid, true
        FROM engine.users AS u WHERE u.user_id = node.user_id AND node.created_at <= p_at
        UNION ALL
        SELECT 'persona', n.node_id, n.name, 'own subtree', 'read', 5, '{records,items,files}'::text[], NULL::uuid, true
        FROM engine.nodes AS n WHERE n.node_id = ANY (node.lineage) AND n.node_type = 'persona' AND node.created_at <= p_at
        UNION ALL
        SELECT g.subject_kind, g.subject_id, coalesce(i.name, n.name), 'grant', g.mode, g.depth::integer, g.fields, g.grant_id, g.past
        FROM engine.grants AS g
        LEFT JOIN engine.integrations AS i ON i.integration_id = g.subject_id
        LEFT JOIN engine.nodes AS n ON n.node_id = g.subject_id
        WHERE g.node_id = ANY (node.lineage) AND node.created_at <= p_at
          AND cardinality(node.lineage) - array_position(node.lineage, g.node_id) <= g.depth
          AND g.granted_at <= p_at AND (g.revoked_at IS NULL OR g.revoked_at > p_at) AND (g.expires_at IS NULL OR g.expires_at > p_at)
        ORDER BY 1 DESC, 3 LIMIT 10000;
END $$;
GRANT EXECUTE ON FUNCTION engine.audience TO neurigraph_request;
