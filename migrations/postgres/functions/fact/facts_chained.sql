-- The chains of these facts, as far as the principal may read them, and whether it may end each: not where the next one in the chain, a
-- live or a withdrawn one, lies where it may not write.
CREATE OR REPLACE FUNCTION engine.facts_chained(p_facts uuid[])
RETURNS TABLE (fact engine.facts, schema_name text, writable boolean, doubts jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    graph uuid := engine.principal_graph();
BEGIN
    RETURN QUERY
        SELECT f, n.schema_name, engine.can('write', f.node_id, 'items') AND (f.privacy <> 'private' OR engine.owns(f.node_id))
               AND NOT EXISTS (SELECT FROM engine.facts AS o WHERE o.supersedes = f.fact_id AND NOT engine.can('write', o.node_id, 'items')), engine.doubts_of(f.fact_id)
        FROM engine.facts AS f JOIN engine.nodes AS n ON n.node_id = f.node_id
        WHERE f.user_id = graph AND f.status <> 'confirmation' AND engine.can(CASE f.status WHEN 'live' THEN 'read' ELSE 'write' END, f.node_id, 'items')
              AND (f.privacy <> 'private' OR engine.owns(f.node_id))
              AND f.chain_id IN (SELECT o.chain_id FROM engine.facts AS o WHERE o.fact_id = ANY (p_facts) AND o.user_id = graph);
END $$;
GRANT EXECUTE ON FUNCTION engine.facts_chained TO neurigraph_request;
