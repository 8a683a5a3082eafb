-- Whether the node holds this record, and this file of it (NULL: any), for the principal: with the caller's rights.
CREATE OR REPLACE FUNCTION engine.node_holds(p_node uuid, p_record uuid, p_file uuid) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    node_schema text := (SELECT n.schema_name FROM engine.nodes AS n WHERE n.node_id = p_node);
    held boolean;
BEGIN
    IF node_schema IS NULL THEN
        RETURN false;
    END IF;
    EXECUTE format('SELECT EXISTS (SELECT FROM %1$I.metadata_records WHERE record_id = $1) AND'
                   ' ($2 IS NULL OR EXISTS (SELECT FROM %1$I.file_manifest WHERE file_id = $2 AND record_id = $1))', node_schema)
    INTO held USING p_record, p_file;
    RETURN held;
END $$;
GRANT EXECUTE ON FUNCTION engine.node_holds TO neurigraph_request;
