-- Rebuilds missing manifest entries of a node from its raw inputs. p_paths: files whose object exists; p_sizes: its bytes.
-- Returns how many entries remain missing.
CREATE OR REPLACE FUNCTION engine.mend_entries(p_node uuid, p_paths text[], p_sizes bigint[]) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    node_schema text := (SELECT n.schema_name FROM engine.nodes AS n WHERE n.node_id = p_node);
BEGIN
    EXECUTE format(
        'INSERT INTO %I.file_manifest (file_id, record_id, file_name, file_type, content_type, storage_path, compression_format, size_bytes,
                                       stored_bytes, sha256, created_at, part)
         SELECT DISTINCT ON (l.record_id) i.resource_id, l.record_id, i.file_name,
                CASE WHEN i.content_type = ''conversation'' THEN ''transcript'' WHEN i.media_type = ''application/pdf'' THEN ''pdf''
                     WHEN i.media_type ~ ''^(image|video|audio)/'' THEN split_part(i.media_type, ''/'', 1)
                     WHEN i.media_type LIKE ''text/%%'' THEN ''document'' ELSE ''other'' END,
                i.media_type, i.object_key, CASE WHEN i.packed THEN ''gzip'' ELSE ''native'' END, i.size_bytes, s.bytes, i.content_hash, i.received_at,
                EXISTS (SELECT FROM engine.document_versions AS v WHERE v.file_id = i.resource_id AND v.document_id <> l.record_id)
         FROM engine.lost_entries($1) AS l JOIN unnest($2, $3) AS s (path, bytes) ON s.path = l.storage_path
         JOIN engine.raw_resources AS i ON i.object_key = l.storage_path
         ORDER BY l.record_id, i.received_at ON CONFLICT DO NOTHING', node_schema) USING p_node, p_paths, p_sizes;
    RETURN (SELECT count(*) FROM engine.lost_entries(p_node));
END $$;
