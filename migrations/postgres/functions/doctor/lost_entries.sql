-- Live records of a node whose file is missing from the manifest: the file is stored, but cannot be opened. `known`: a raw input describes it.
CREATE OR REPLACE FUNCTION engine.lost_entries(p_node uuid) RETURNS TABLE (record_id uuid, storage_path text, known boolean)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    node_schema text := (SELECT n.schema_name FROM engine.nodes AS n WHERE n.node_id = p_node);
BEGIN
    RETURN QUERY EXECUTE format(
        'SELECT r.record_id, r.file_pointer, EXISTS (SELECT FROM engine.raw_resources AS i WHERE i.object_key = r.file_pointer)
         FROM %1$I.metadata_records AS r WHERE r.state = ''live'' AND r.version_of IS NULL AND r.file_pointer IS NOT NULL
         AND NOT EXISTS (SELECT FROM %1$I.file_manifest AS f WHERE f.record_id = r.record_id AND f.storage_path = r.file_pointer)',
        node_schema);
END $$;
