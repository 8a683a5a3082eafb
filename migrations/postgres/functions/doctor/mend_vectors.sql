-- Schedules the vectors of a node that are missing or have the wrong size.
CREATE OR REPLACE FUNCTION engine.mend_vectors(p_node uuid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    node_schema text := (SELECT n.schema_name FROM engine.nodes AS n WHERE n.node_id = p_node);
    version text := engine.active_embeddings();
    size integer := (SELECT v.dimension FROM engine.embedding_versions AS v WHERE v.name = version);
    slot text := engine.embedding_slot(version);
    vectors text := CASE slot WHEN 'b' THEN 'embedding_b' ELSE 'embedding' END;
    tokens text := CASE slot WHEN 'b' THEN 'tokens_b' ELSE 'tokens' END;
BEGIN
    EXECUTE format('UPDATE %1$I.memory_items SET %2$I = NULL, %3$I = NULL, %4$I = NULL WHERE %3$I = $1 AND vector_dims(%2$I) <> $2',
                   node_schema, vectors, vectors || '_version', tokens) USING version, size;
    EXECUTE format('UPDATE %1$I.metadata_records SET %2$I = NULL, %3$I = NULL WHERE %3$I = $1 AND vector_dims(%2$I) <> $2',
                   node_schema, vectors, vectors || '_version') USING version, size;
    PERFORM engine.note_due('vectors', ARRAY[p_node]);
END $$;
