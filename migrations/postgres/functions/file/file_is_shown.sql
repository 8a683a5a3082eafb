-- Whether a state of the record that has this file is visible to the principal. The calling function has checked the right to the node.
CREATE OR REPLACE FUNCTION engine.file_is_shown(p_schema text, p_node uuid, p_record uuid, p_path text) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    shown boolean;
BEGIN
    EXECUTE format('SELECT EXISTS (SELECT FROM %I.metadata_records AS s WHERE (s.record_id = $1 OR s.version_of = $1) AND s.file_pointer = $2'
                   ' AND (s.known_to IS NULL AND s.valid_to IS NULL OR least(s.known_to, s.valid_to) > greatest(s.moved_at, $3)))', p_schema)
    INTO shown USING p_record, p_path, engine.reads_from(p_node, 'files');
    RETURN shown;
END $$;
