-- Schedules the vectors of a node that are missing or have the wrong size.
CREATE OR REPLACE FUNCTION engine.mend_vectors(p_node uuid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    node_schema text := (SELECT n.schema_name FROM engine.nodes AS n WHERE n.node_id = p_node);
    version text := engine.active_embeddings();
    size integer := (SELECT v.dimension FROM engine.embedding_versions AS v WHERE v.name = version);
    vectors text := CASE engine.embedding_slot(version) WHEN 'b' THEN 'embedding_b' ELSE 'embedding' END;
    place text;
BEGIN
    FOREACH place IN ARRAY ARRAY['memory_items', 'metadata_records'] LOOP
        EXECUTE format('UPDATE %1$I.%2$I SET %3$I = NULL, %4$I = NULL %5$s WHERE %4$I = $1 AND vector_dims(%3$I) <> $2',
                       node_schema, place, vectors, vectors || '_version',
                       CASE place WHEN 'memory_items' THEN ', ' || replace(vectors, 'embedding', 'tokens') || ' = NULL' END) USING version, size;
    END LOOP;
    PERFORM engine.note_due('vectors', ARRAY[p_node]);
END $$;
