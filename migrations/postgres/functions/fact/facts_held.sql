-- Which of these facts were ended and held when a new one begins, with their texts and how near their meanings are to it: what is said again of that
-- time confirms them. Only those that the principal may end. p_lines: fact, at (when it begins, or null), vector; p_column, p_version: of their vectors.
CREATE OR REPLACE FUNCTION engine.facts_held(p_facts uuid[], p_lines jsonb, p_column text, p_version text)
RETURNS TABLE (fact_id uuid, content text, place integer, likeness jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    held uuid[];
    node record;
BEGIN
    SELECT array_agg(f.fact_id) INTO held FROM engine.facts AS f
    WHERE f.fact_id = ANY (p_facts) AND f.user_id = engine.principal_graph() AND f.status IN ('superseded', 'invalidated')
          AND EXISTS (SELECT FROM jsonb_to_recordset(p_lines) AS l (at timestamptz)
                      WHERE f.valid_from <= coalesce(l.at, '-infinity') AND f.valid_to > coalesce(l.at, '-infinity'));
    FOR node IN
        SELECT n.node_id, n.schema_name, engine.owns(n.node_id) AS owned FROM engine.nodes AS n
        WHERE n.node_id IN (SELECT f.node_id FROM engine.facts AS f WHERE f.fact_id = ANY (held)) AND n.template_version = engine.template_version()
              AND engine.can('write', n.node_id, 'items')
        ORDER BY n.node_id
    LOOP
        CONTINUE WHEN to_regclass(format('%I.memory_items', node.schema_name)) IS NULL;  -- damaged: facts of other nodes are decided without it
        RETURN QUERY EXECUTE format(
            'SELECT f.fact_id, min(i.content), min(i.position),'
            '       jsonb_object_agg(l.fact, CASE WHEN i.%2$I = $5 THEN 1 - (i.%3$I::vector <=> l.vector) END)'
            ' FROM engine.facts AS f JOIN %1$I.memory_items AS i ON i.item_id = f.fact_id AND i.version_of IS NULL'
            ' CROSS JOIN (SELECT l.fact, l.vector::vector AS vector FROM jsonb_to_recordset($1) AS l (fact uuid, vector text)) AS l'
            ' WHERE f.fact_id = ANY ($2) AND f.node_id = $3 AND (f.privacy <> ''private'' OR $4) GROUP BY f.fact_id',
            node.schema_name, p_column || '_version', p_column)
        USING p_lines, held, node.node_id, node.owned, p_version;
    END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION engine.facts_held TO neurigraph_request;
