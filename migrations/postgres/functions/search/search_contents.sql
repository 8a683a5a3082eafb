-- The contents of items that a search found: texts, their record and its file. Files that are shown in part are rendered when
-- they are opened, and never sleep.
CREATE OR REPLACE FUNCTION engine.search_contents(p_schema text, p_items uuid[], p_as_of timestamptz, p_known_at timestamptz)
RETURNS TABLE (row_id uuid, item_id uuid, record_id uuid, source_ref text, content text, section text, record_title text, record_summary text,
               content_type text, file_id uuid, file_name text, file_state text, scope text, scope_id text, source text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    node uuid := (SELECT n.node_id FROM engine.nodes AS n WHERE n.schema_name = p_schema);
BEGIN
    RETURN QUERY EXECUTE format(
        'SELECT i.item_id, coalesce(i.version_of, i.item_id), i.record_id, i.source_ref, i.content, i.section, r.title, r.summary, r.content_type, coalesce(f.file_id, p.file_id), coalesce(f.file_name, p.file_name),
                coalesce(f.compression_state, CASE WHEN p.file_id IS NOT NULL THEN ''active'' END), i.scope, i.scope_id, i.source
         FROM %1$I.memory_items AS i
         JOIN %1$I.metadata_records AS r ON (r.record_id = i.record_id OR r.version_of = i.record_id) AND r.valid_from <= $2 AND (r.valid_to IS NULL OR r.valid_to > $2)
              AND r.known_from <= $3 AND (r.known_to IS NULL OR r.known_to > $3)
         LEFT JOIN (SELECT DISTINCT ON (m.record_id, m.storage_path) m.* FROM %1$I.file_manifest AS m
                    WHERE m.record_id = ANY (ARRAY(SELECT record_id FROM %1$I.memory_items WHERE item_id = ANY ($1)))
                    ORDER BY m.record_id, m.storage_path, m.created_at, m.file_id) AS f
              ON f.record_id = i.record_id AND f.storage_path = r.file_pointer
         LEFT JOIN engine.part_files($4) AS p ON p.record_id = i.record_id AND p.storage_path = r.file_pointer
         WHERE i.item_id = ANY ($1)', p_schema)
    USING p_items, p_as_of, p_known_at, node;
END $$;
GRANT EXECUTE ON FUNCTION engine.search_contents TO neurigraph_request;
