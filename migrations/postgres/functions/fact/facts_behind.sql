-- Facts of the principal's own graph that no commit has carried there as they are now, with their texts: some of them, or those of p_facts, which
-- then count as carried and stay locked until the end of the transaction. `known`: it was carried before, with its names. `text` NULL: it is no item of its own. Nothing for anyone else.
CREATE OR REPLACE FUNCTION engine.facts_behind(p_facts uuid[], p_most integer)
RETURNS TABLE (fact engine.facts, text text, subjects text[], speaker text, private boolean, known boolean, doubts jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    owner uuid := engine.principal_user();
    ids uuid[];
    place text;
BEGIN
    IF p_facts IS NULL THEN
        SELECT array_agg(f.fact_id) INTO ids FROM (
            SELECT f.fact_id FROM engine.facts AS f JOIN engine.nodes AS n ON n.node_id = f.node_id
            WHERE f.user_id = owner AND f.revision > f.graph_revision AND n.state = 'live' ORDER BY f.fact_id LIMIT p_most) AS f;
    ELSE
        SELECT array_agg(f.fact_id) INTO ids FROM (
            SELECT f.fact_id FROM engine.facts AS f WHERE f.user_id = owner AND f.fact_id = ANY (p_facts) ORDER BY f.fact_id FOR UPDATE) AS f;
        UPDATE engine.facts AS f SET graph_revision = f.revision WHERE f.fact_id = ANY (ids);
    END IF;
    FOR place IN SELECT DISTINCT n.schema_name FROM engine.facts AS f JOIN engine.nodes AS n ON n.node_id = f.node_id WHERE f.fact_id = ANY (ids) ORDER BY 1
    LOOP
        RETURN QUERY EXECUTE format(
            'SELECT f, i.content, coalesce(i.subjects, ''{}''), coalesce((SELECT s.speaker FROM %1$I.memory_items AS s'
            '  WHERE s.record_id = i.record_id AND s.kind = ''turn'' AND s.version_of IS NULL AND s.position = i.position ORDER BY s.item_id LIMIT 1), ''''),'
            ' f.privacy = ''private'' AND coalesce((SELECT r.privacy <> ''private'' FROM %1$I.metadata_records AS r WHERE r.record_id = f.record_id AND r.version_of IS NULL), true), f.graph_revision > 0, engine.doubts_of(f.fact_id)'
            ' FROM engine.facts AS f JOIN engine.nodes AS n ON n.node_id = f.node_id AND n.schema_name = $2'
            ' LEFT JOIN %1$I.memory_items AS i ON i.item_id = f.fact_id AND i.version_of IS NULL WHERE f.fact_id = ANY ($1)', place)
        USING ids, place;
    END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION engine.facts_behind TO neurigraph_request;
