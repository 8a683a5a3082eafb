-- Texts and vectors (of one version) of items of these nodes that hold, at most 2,000 characters of each; others are left out. p_nodes, p_items: of one length. For
-- the service. vector: as vector_send gives it.
CREATE OR REPLACE FUNCTION engine.item_vectors(p_user uuid, p_nodes uuid[], p_items uuid[], p_column text, p_version text)
RETURNS TABLE (item_id uuid, content text, vector bytea)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    place record;
BEGIN
    FOR place IN SELECT n.schema_name, array_agg(w.item) AS items FROM unnest(p_nodes, p_items) AS w (node, item)
                 JOIN engine.nodes AS n ON n.node_id = w.node AND n.user_id = p_user AND n.template_version = engine.template_version()
                 GROUP BY 1 ORDER BY 1
    LOOP
        RETURN QUERY EXECUTE format(
            'SELECT i.item_id, left(i.content, 2000), vector_send(i.%3$I::vector) FROM %1$I.memory_items AS i'
            ' WHERE i.item_id = ANY ($1) AND i.known_to IS NULL AND i.valid_to IS NULL AND i.%2$I = $2', place.schema_name, p_column || '_version', p_column)
        USING place.items, p_version;
    END LOOP;
END $$;
