-- For each of these nodes the others of which somebody may not read the items who may read its records or items: what is said there may not end what stands here. The owner reads both. Of nodes that the principal may read itself.
CREATE OR REPLACE FUNCTION engine.nodes_apart(p_nodes uuid[]) RETURNS TABLE (node_id uuid, others uuid[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
        WITH places AS MATERIALIZED (
            SELECT n.node_id, n.lineage FROM engine.nodes AS n WHERE n.node_id = ANY (p_nodes) AND engine.can('read', n.node_id, 'items')),
        readers AS MATERIALIZED (
            SELECT p.node_id, n.node_id AS reader, true AS items FROM places AS p JOIN engine.nodes AS n ON n.node_id = ANY (p.lineage) AND n.node_type = 'persona'
            UNION ALL
            SELECT p.node_id, g.subject_id, 'items' = ANY (g.fields) FROM places AS p JOIN engine.grants AS g ON g.node_id = ANY (p.lineage)
            WHERE 'records' = ANY (g.fields) AND g.revoked_at IS NULL AND (g.expires_at IS NULL OR g.expires_at > statement_timestamp())
              AND cardinality(p.lineage) - array_position(p.lineage, g.node_id) <= g.depth)
        SELECT r.node_id, array_agg(DISTINCT o.node_id) FROM readers AS r JOIN places AS o ON o.node_id <> r.node_id
        WHERE NOT EXISTS (SELECT FROM readers AS s WHERE s.node_id = o.node_id AND s.reader = r.reader AND s.items)
        GROUP BY r.node_id;
END $$;
GRANT EXECUTE ON FUNCTION engine.nodes_apart TO neurigraph_request;
