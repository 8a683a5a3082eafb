-- Puts the files of a record that moves to sleep; the sweep deletes their copies.
CREATE OR REPLACE FUNCTION engine.sleep_files_of(p_node uuid, p_schema text, p_record uuid, p_now timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    file engine.awake_files;
BEGIN
    FOR file IN EXECUTE format('DELETE FROM engine.awake_files AS a USING %I.file_manifest AS f'
                               ' WHERE a.node_id = $1 AND f.file_id = a.file_id AND f.record_id = $2 RETURNING a.*', p_schema)
                USING p_node, p_record
    LOOP
        PERFORM engine.note_file_state(file, file.state, 'dormant', 'manual', p_now, 'moved to another node');
    END LOOP;
END $$;
