-- The restoration failed: the file is dormant again, with the cause. Returns false when another claim took over. Service only.
CREATE OR REPLACE FUNCTION engine.file_failed(p_node uuid, p_file uuid, p_claim uuid, p_now timestamptz, p_detail text, p_review boolean)
RETURNS boolean LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    file engine.awake_files;
BEGIN
    DELETE FROM engine.awake_files AS a WHERE a.node_id = p_node AND a.file_id = p_file AND a.claim_id = p_claim
        AND a.state = 'rehydrating' RETURNING a.* INTO file;
    IF file.file_id IS NULL THEN
        RETURN false;
    END IF;
    PERFORM engine.note_file_state(file, 'rehydrating', 'dormant', 'error', p_now, p_detail, p_review);
    RETURN true;
END $$;
