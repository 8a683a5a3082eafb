-- Puts a file to sleep, for a principal that may write to its node. Returns the claim of the copy to delete and where the file is
-- stored; no row if it was already asleep. Refuses while the file is being restored.
CREATE OR REPLACE FUNCTION engine.sleep_file(p_node uuid, p_file uuid, p_now timestamptz) RETURNS TABLE (claim_id uuid, storage_path text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    file engine.awake_files;
BEGIN
    PERFORM engine.schema_of_file('write', p_node, p_file);
    SELECT * INTO file FROM engine.awake_files AS a WHERE a.node_id = p_node AND a.file_id = p_file FOR UPDATE;
    IF file.file_id IS NULL THEN
        RETURN;
    END IF;
    IF file.claimed_until > p_now THEN
        RAISE EXCEPTION 'The file is being restored.' USING ERRCODE = 'NG409';
    END IF;
    DELETE FROM engine.awake_files AS a WHERE a.node_id = p_node AND a.file_id = p_file;
    RETURN QUERY SELECT file.claim_id, engine.note_file_state(file, file.state, 'dormant', 'manual', p_now);
END $$;
GRANT EXECUTE ON FUNCTION engine.sleep_file TO neurigraph_request;
