-- The files of a node that the principal is shown in part, without size and hash. None for the owner, who opens them whole.
CREATE OR REPLACE FUNCTION engine.part_files(p_node uuid)
RETURNS TABLE (file_id uuid, record_id uuid, file_name text, file_type text, content_type text, storage_path text, created_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    node engine.nodes;
BEGIN
    SELECT * INTO node FROM engine.nodes AS n WHERE n.node_id = p_node AND n.state = 'live' AND n.known_to IS NULL;
    IF node.node_id IS NULL OR engine.owns(p_node) OR NOT engine.can('read', p_node, 'files') THEN
        RETURN;
    END IF;
    RETURN QUERY EXECUTE format(
        'SELECT f.file_id, f.record_id, f.file_name, f.file_type, f.content_type, f.storage_path, f.created_at'
        ' FROM %1$I.file_manifest AS f JOIN %1$I.metadata_records AS r USING (record_id)'
        ' WHERE f.part AND r.state = ''live'' AND r.known_to IS NULL AND (r.valid_to IS NULL OR r.valid_to > now()) AND r.privacy <> ''private'' AND engine.file_is_shown($2, $1, f.record_id, f.storage_path)',
        node.schema_name) USING p_node, node.schema_name;
END $$;
GRANT EXECUTE ON FUNCTION engine.part_files TO neurigraph_request;
