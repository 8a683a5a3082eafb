-- The vectors of some of the newest turns of the nodes that the caller may read: from up to 64 nodes, an equal share
-- of each. A plain read with the caller's own rights.
CREATE OR REPLACE FUNCTION engine.turns_sampled(p_user uuid, p_version text, p_limit integer)
RETURNS TABLE (embedding vector)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    place record;
    slot text := engine.embedding_slot(p_version);
BEGIN
    FOR place IN
        SELECT n.schema_name, count(*) OVER () AS nodes FROM (
            SELECT * FROM engine.nodes AS n WHERE n.user_id = p_user AND n.state = 'live' AND n.known_to IS NULL
            ORDER BY n.layer, n.created_at LIMIT 64) AS n
    LOOP
        CONTINUE WHEN slot IS NULL OR pg_relation_size(format('%I.memory_items', place.schema_name)::regclass) = 0;
        RETURN QUERY EXECUTE format(
            'SELECT i.%2$I::vector FROM %1$I.memory_items AS i WHERE i.kind = ''turn'' AND i.%3$I = $1 AND i.known_to IS NULL
             ORDER BY i.known_from DESC LIMIT $2',
            place.schema_name, CASE slot WHEN 'a' THEN 'embedding' ELSE 'embedding_b' END,
            CASE slot WHEN 'a' THEN 'embedding_version' ELSE 'embedding_b_version' END)
        USING p_version, greatest(4, p_limit / place.nodes);
    END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION engine.turns_sampled TO neurigraph_request;
