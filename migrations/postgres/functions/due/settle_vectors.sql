-- Marks the records of a node as complete if no row lacks a vector of the active version; returns whether that is so. Service only.
CREATE OR REPLACE FUNCTION engine.settle_vectors(p_node uuid) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '5s' AS $$
DECLARE
    node engine.nodes;
    label text := CASE engine.embedding_slot(engine.active_embeddings()) WHEN 'a' THEN 'embedding_version' ELSE 'embedding_b_version' END;
    missing boolean;
BEGIN
    PERFORM FROM engine.due AS d WHERE d.derivation = 'vectors' AND d.node_id = p_node FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN false;  -- locked by a writer, which adds rows, or already done
    END IF;
    SELECT * INTO node FROM engine.nodes AS n WHERE n.node_id = p_node;
    IF node.state <> 'live' THEN
        RETURN false;
    END IF;
    EXECUTE format('SELECT EXISTS (SELECT FROM %1$I.memory_items WHERE %2$I IS DISTINCT FROM $1)'
                   ' OR EXISTS (SELECT FROM %1$I.metadata_records WHERE %2$I IS DISTINCT FROM $1)', node.schema_name, label)
    INTO missing USING engine.active_embeddings();
    IF NOT missing THEN
        EXECUTE format('UPDATE %I.metadata_records SET embedding_pending = false WHERE embedding_pending', node.schema_name);
    END IF;
    RETURN NOT missing;
END $$;
