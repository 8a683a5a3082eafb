-- The files of live records of these nodes, except those whose loss was accepted.
CREATE OR REPLACE FUNCTION engine.node_files(p_nodes uuid[])
RETURNS TABLE (node_id uuid, schema_name text, file_id uuid, storage_path text, stored_bytes bigint, packed boolean, sha256 bytea)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    node engine.nodes;
BEGIN
    FOR node IN SELECT n.* FROM engine.whole_nodes(p_nodes) AS n
    LOOP
        RETURN QUERY EXECUTE format(
            'SELECT $1, $2, f.file_id, f.storage_path, f.stored_bytes, f.compression_format = ''gzip'', f.sha256
             FROM %1$I.file_manifest AS f JOIN %1$I.metadata_records AS r USING (record_id)
             WHERE r.state = ''live'' AND NOT EXISTS (SELECT FROM engine.accepted_damage AS a WHERE a.node_id = $1
                   AND a.kind = ''file-lost'' AND a.subject = f.file_id::text) ORDER BY f.file_id', node.schema_name)
        USING node.node_id, node.schema_name;
    END LOOP;
END $$;
