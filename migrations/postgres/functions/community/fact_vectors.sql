-- The newest live facts of a user's memory as a whole (of no thread or workflow) with the vectors of one version, at most so many. For the service.
-- vector: as vector_send gives it; facts without one are left out.
CREATE OR REPLACE FUNCTION engine.fact_vectors(p_user uuid, p_column text, p_version text, p_most integer)
RETURNS TABLE (fact_id uuid, content text, subjects text[], confirmations integer, known_from timestamptz, vector bytea)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    ids uuid[];
    place text;
BEGIN
    SELECT array_agg(s.fact_id) INTO ids FROM (
        SELECT f.fact_id FROM engine.facts AS f WHERE f.user_id = p_user AND f.status = 'live' AND f.scope = 'user'
        ORDER BY f.known_from DESC, f.fact_id LIMIT p_most) AS s;
    FOR place IN SELECT DISTINCT n.schema_name FROM engine.facts AS f JOIN engine.nodes AS n ON n.node_id = f.node_id
                 WHERE f.fact_id = ANY (ids) AND n.template_version = engine.template_version() ORDER BY 1
    LOOP
        RETURN QUERY EXECUTE format(
            'SELECT f.fact_id, i.content, i.subjects, f.confirmations, f.known_from, vector_send(i.%3$I::vector)'
            ' FROM engine.facts AS f JOIN %1$I.memory_items AS i ON i.item_id = f.fact_id AND i.known_to IS NULL AND i.valid_to IS NULL'
            ' WHERE f.fact_id = ANY ($1) AND i.%2$I = $2', place, p_column || '_version', p_column)
        USING ids, p_version;
    END LOOP;
END $$;
