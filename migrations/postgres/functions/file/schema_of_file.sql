-- The schema that holds a file of a record that holds, for a principal that may read the file there. A reader other than the owner gets no file of a state that
-- ended before it may read, and no file that is shown in part.
CREATE OR REPLACE FUNCTION engine.schema_of_file(p_mode text, p_node uuid, p_file uuid) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found_schema text := (SELECT n.schema_name FROM engine.nodes AS n
                          WHERE n.node_id = p_node AND n.state = 'live' AND n.known_to IS NULL);
    allowed boolean;
BEGIN
    IF found_schema IS NOT NULL AND engine.can(p_mode, p_node, 'files') THEN
        EXECUTE format('SELECT engine.owns($2) OR r.privacy <> ''private'' AND NOT f.part AND engine.file_is_shown($3, $2, f.record_id, f.storage_path)'
                       ' FROM %1$I.file_manifest AS f JOIN %1$I.metadata_records AS r USING (record_id)'
                       ' WHERE f.file_id = $1 AND r.state = ''live'' AND r.known_to IS NULL AND (r.valid_to IS NULL OR r.valid_to > now())', found_schema)
        INTO allowed USING p_file, p_node, found_schema;
    END IF;
    IF allowed IS NOT TRUE THEN
        RAISE EXCEPTION 'There is no such file.' USING ERRCODE = 'NG404';
    END IF;
    RETURN found_schema;
END $$;
