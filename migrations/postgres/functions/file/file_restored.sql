-- The copy exists and is verified: the file is active. Returns false when another claim took over. Service only.
CREATE OR REPLACE FUNCTION engine.file_restored(p_node uuid, p_file uuid, p_claim uuid, p_now timestamptz, p_until timestamptz) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    file engine.awake_files;
BEGIN
    UPDATE engine.awake_files AS a SET state = 'active', since = p_now, claimed_until = NULL, due_at = CASE WHEN NOT a.by_hand THEN p_until END
    WHERE a.node_id = p_node AND a.file_id = p_file AND a.claim_id = p_claim AND a.state = 'rehydrating' RETURNING a.* INTO file;
    IF file.file_id IS NULL THEN
        RETURN false;
    END IF;
    PERFORM engine.note_file_state(file, 'rehydrating', 'active', file.woken_by, p_now);
    RETURN true;
END $$;
