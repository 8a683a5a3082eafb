-- The beginnings of the texts of these facts, of which each is an item of its node; none of one that is no item, or whose node is damaged.
CREATE OR REPLACE FUNCTION engine.fact_beginnings(p_facts uuid[], p_length integer) RETURNS TABLE (fact_id uuid, text text, whole boolean)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    place text;
BEGIN
    FOR place IN SELECT DISTINCT n.schema_name FROM engine.facts AS f JOIN engine.nodes AS n ON n.node_id = f.node_id
                 WHERE f.fact_id = ANY (p_facts) AND n.state = 'live' AND engine.node_damage(n.schema_name, n.template_version) IS NULL ORDER BY 1
    LOOP
        RETURN QUERY EXECUTE format('SELECT i.item_id, left(i.content, $2), length(i.content) <= $2 FROM %I.memory_items AS i'
                                    ' WHERE i.item_id = ANY ($1) AND i.version_of IS NULL', place)
        USING p_facts, p_length;
    END LOOP;
END $$;
