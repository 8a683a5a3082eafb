-- Accepts the present texts of a node's items: their hashes are updated, their vectors rebuilt. Returns how many.
CREATE OR REPLACE FUNCTION engine.accept_texts(p_node uuid) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    place text := (SELECT n.schema_name FROM engine.nodes AS n WHERE n.node_id = p_node);
    accepted bigint;
BEGIN
    EXECUTE format('UPDATE %I.memory_items SET content_hash = sha256(convert_to(content, ''UTF8'')), embedding = NULL, embedding_version = NULL,'
                   ' embedding_b = NULL, embedding_b_version = NULL WHERE content_hash <> sha256(convert_to(content, ''UTF8''))', place);
    GET DIAGNOSTICS accepted = ROW_COUNT;
    PERFORM engine.note_due('vectors', ARRAY[p_node]);
    RETURN accepted;
END $$;
