-- The texts of these live facts, as far as the principal may read them by its own rights. In no order.
CREATE OR REPLACE FUNCTION engine.facts_read(p_facts uuid[])
RETURNS TABLE (fact_id uuid, record_id uuid, text text, category text, valid_from timestamptz, confirmations integer, importance real, known_from timestamptz)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    place text;
BEGIN
    FOR place IN SELECT DISTINCT n.schema_name FROM engine.facts AS f JOIN engine.nodes AS n ON n.node_id = f.node_id
                 WHERE f.fact_id = ANY (p_facts) AND f.status = 'live' ORDER BY 1
    LOOP
        RETURN QUERY EXECUTE format(
            'SELECT i.item_id, i.record_id, i.content, i.category, f.valid_from, f.confirmations, i.importance, f.known_from FROM engine.facts AS f'
            ' JOIN %I.memory_items AS i ON i.item_id = f.fact_id AND i.version_of IS NULL AND i.known_to IS NULL AND i.valid_to IS NULL'
            ' WHERE f.fact_id = ANY ($1) AND f.status = ''live''', place)
        USING p_facts;
    END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION engine.facts_read TO neurigraph_request;
