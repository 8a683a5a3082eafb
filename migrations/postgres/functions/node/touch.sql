-- Counts retrievals of items and records of one node; called in batches, in the background. A missing node is skipped.
CREATE OR REPLACE FUNCTION engine.touch(p_node uuid, p_items uuid[], p_counts integer[], p_records uuid[], p_at timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    node_schema text := (SELECT n.schema_name FROM engine.nodes AS n WHERE n.node_id = p_node);
BEGIN
    IF node_schema IS NULL OR to_regclass(format('%I.memory_items', node_schema)) IS NULL
       OR to_regclass(format('%I.metadata_records', node_schema)) IS NULL THEN
        RETURN;
    END IF;
    EXECUTE format('UPDATE %I.memory_items AS i SET access_count = i.access_count + t.times,'
                   ' last_accessed_at = greatest(i.last_accessed_at, $3)'
                   ' FROM unnest($1, $2) AS t (item_id, times) WHERE i.item_id = t.item_id', node_schema)
        USING p_items, p_counts, p_at;
    EXECUTE format('UPDATE %I.metadata_records SET last_accessed_at = $2'
                   ' WHERE record_id = ANY ($1) AND last_accessed_at < $2', node_schema) USING p_records, p_at;
END $$;
