-- What is wrong inside these nodes: items whose text does not match its hash, rows without a vector of the active version and without a
-- pending job for it, changes missing in the log, missing sources, files missing from the manifest. `unreadable`: the SQLSTATE, if reading
-- failed. Only nodes whose tables are complete by the catalog.
CREATE OR REPLACE FUNCTION engine.node_contents(p_nodes uuid[])
RETURNS TABLE (node_id uuid, schema_name text, texts bigint, vectors bigint, deltas bigint, sources bigint, files bigint, unreadable text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    node engine.nodes;
    version text := engine.active_embeddings();
    size integer := (SELECT v.dimension FROM engine.embedding_versions AS v WHERE v.name = version);
    label text := CASE engine.embedding_slot(version) WHEN 'b' THEN 'embedding_b_version' ELSE 'embedding_version' END;
BEGIN
    FOR node IN SELECT n.* FROM engine.whole_nodes(p_nodes) AS n
    LOOP
        node_id := node.node_id; schema_name := node.schema_name;
        texts := 0; vectors := 0; deltas := 0; sources := 0; files := 0; unreadable := NULL;
        BEGIN
            EXECUTE format('SELECT count(*) FILTER (WHERE content_hash <> sha256(convert_to(content, ''UTF8''))),'
                           ' count(*) FILTER (WHERE %2$I IS DISTINCT FROM $1 OR vector_dims(%3$I) <> $2) FROM %1$I.memory_items',
                           node.schema_name, label, left(label, -8)) INTO texts, vectors USING version, size;
            IF vectors = 0 THEN
                EXECUTE format('SELECT count(*) FROM %1$I.metadata_records WHERE length(title || summary) >= 0'
                               ' AND (%2$I IS DISTINCT FROM $1 OR vector_dims(%3$I) <> $2)',
                               node.schema_name, label, left(label, -8)) INTO vectors USING version, size;
            END IF;
            IF EXISTS (SELECT FROM engine.due AS d WHERE d.derivation = 'vectors' AND d.node_id = node.node_id) THEN
                vectors := 0;
            END IF;
            SELECT count(*) INTO deltas FROM engine.lost_deltas(node.node_id);
            SELECT count(*) INTO sources FROM engine.lost_sources(node.node_id);
            SELECT count(*) INTO files FROM engine.lost_entries(node.node_id);
        EXCEPTION
            WHEN undefined_function OR insufficient_resources OR operator_intervention THEN
                RAISE;
            WHEN OTHERS THEN
                unreadable := SQLSTATE;
        END;
        RETURN NEXT;
    END LOOP;
END $$;
