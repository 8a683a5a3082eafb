-- Puts up to p_limit files to sleep: retrieved files whose time is over, files woken by hand and not used since
-- p_unused, files whose restoration stopped. Files that another sweep or a reader has locked are skipped. Service only.
CREATE OR REPLACE FUNCTION engine.sweep_files(p_now timestamptz, p_unused timestamptz, p_limit integer)
RETURNS TABLE (node_id uuid, claim_id uuid, storage_path text, cause text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    file engine.awake_files;
    why text;
BEGIN
    FOR file IN
        WITH picked AS MATERIALIZED (
            SELECT a.* FROM engine.awake_files AS a
            WHERE a.due_at <= p_now OR (a.by_hand AND a.state = 'active' AND a.accessed_at <= p_unused)
               OR (a.state = 'rehydrating' AND a.claimed_until <= p_now)
            LIMIT p_limit FOR UPDATE SKIP LOCKED
        )
        SELECT * FROM picked ORDER BY node_id, file_id
    LOOP
        why := CASE WHEN file.state = 'rehydrating' THEN 'recovery' WHEN file.by_hand THEN 'dormancy' ELSE 'ttl' END;
        DELETE FROM engine.awake_files AS a WHERE a.node_id = file.node_id AND a.file_id = file.file_id;
        RETURN QUERY SELECT file.node_id, file.claim_id, engine.note_file_state(file, file.state, 'dormant', why, p_now,
            CASE why WHEN 'recovery' THEN 'its restoration had stopped' ELSE '' END), why;
    END LOOP;
END $$;
