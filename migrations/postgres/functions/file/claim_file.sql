-- Claims a file for a reader. Returns its state now: `active` (its time is extended), `rehydrating` (`mine`: the caller holds
-- the claim and restores), or `failed`: the restoration that the caller waited for (p_waited) found the file damaged.
-- p_lost is the claim of a copy that the caller found missing or damaged; the file is then restored once more.
CREATE OR REPLACE FUNCTION engine.claim_file(p_node uuid, p_file uuid, p_claim uuid, p_by_hand boolean, p_now timestamptz, p_lease timestamptz,
                                  p_until timestamptz, p_lost uuid, p_waited uuid)
RETURNS TABLE (state text, since timestamptz, due_at timestamptz, by_hand boolean, claim_id uuid, mine boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    node_schema text := engine.schema_of_file('read', p_node, p_file);
    cause text := CASE WHEN p_by_hand THEN 'manual' ELSE 'retrieval' END;
    file engine.awake_files;
    before engine.awake_files;
BEGIN
    SELECT * INTO file FROM engine.awake_files AS a WHERE a.node_id = p_node AND a.file_id = p_file;
    IF file.state = 'active' AND file.claim_id IS DISTINCT FROM p_lost AND (file.by_hand OR NOT p_by_hand)
       AND file.accessed_at > p_now - interval '1 second' THEN  -- many readers at once: one of them extends the time
        RETURN QUERY SELECT file.state, file.since, file.due_at, file.by_hand, file.claim_id, false;
        RETURN;
    END IF;
    LOOP
        SELECT * INTO file FROM engine.awake_files AS a WHERE a.node_id = p_node AND a.file_id = p_file FOR UPDATE;
        EXIT WHEN file.file_id IS NOT NULL;
        IF EXISTS (SELECT FROM engine.compression_state_log AS l WHERE l.node_id = p_node AND l.file_id = p_file
                   AND l.claim_id = p_waited AND l.trigger = 'error' AND l.needs_review) THEN
            RETURN QUERY SELECT 'failed', p_now, NULL::timestamptz, false, p_waited, false;
            RETURN;
        END IF;
        INSERT INTO engine.awake_files (node_id, file_id, user_id, state, since, accessed_at, woken_by, by_hand, claim_id, claimed_until)
        SELECT p_node, p_file, n.user_id, 'rehydrating', p_now, p_now, cause, p_by_hand, p_claim, p_lease
        FROM engine.nodes AS n WHERE n.node_id = p_node
        ON CONFLICT DO NOTHING RETURNING * INTO file;
        IF file.file_id IS NOT NULL THEN
            PERFORM engine.note_file_state(file, 'dormant', 'rehydrating', cause, p_now);
            RETURN QUERY SELECT file.state, file.since, file.due_at, file.by_hand, file.claim_id, true;
            RETURN;
        END IF;  -- another request was faster; the file may be asleep again: retry
    END LOOP;
    before := file;
    IF file.state = 'active' AND file.claim_id IS DISTINCT FROM p_lost THEN
        UPDATE engine.awake_files AS a SET
            accessed_at = greatest(a.accessed_at, p_now), by_hand = a.by_hand OR p_by_hand,
            due_at = CASE WHEN NOT (a.by_hand OR p_by_hand) THEN greatest(a.due_at, p_until) END
        WHERE a.node_id = p_node AND a.file_id = p_file RETURNING a.* INTO file;
        IF file.by_hand AND NOT before.by_hand THEN
            PERFORM engine.note_file_state(file, 'active', 'active', 'manual', p_now, 'stays awake');
        ELSE
            EXECUTE format('UPDATE %I.file_manifest SET recompress_after = $2, last_accessed_at = greatest(last_accessed_at, $3)'
                           ' WHERE file_id = $1', node_schema) USING p_file, file.due_at, p_now;
        END IF;
    ELSIF file.state = 'active' OR (file.claimed_until <= p_now AND file.claim_id <> p_claim) THEN
        UPDATE engine.awake_files AS a SET
            state = 'rehydrating', since = p_now, due_at = NULL, claim_id = p_claim, claimed_until = p_lease, woken_by = 'recovery',
            by_hand = a.by_hand OR p_by_hand, attempt = a.attempt + 1, accessed_at = greatest(a.accessed_at, p_now)
        WHERE a.node_id = p_node AND a.file_id = p_file RETURNING a.* INTO file;
        PERFORM engine.note_file_state(file, before.state, 'rehydrating', 'recovery', p_now, CASE before.state
            WHEN 'active' THEN 'the restored copy was missing or damaged' ELSE 'its restoration had stopped; taken over' END,
            before.state = 'active');
    ELSIF p_by_hand AND NOT file.by_hand THEN
        UPDATE engine.awake_files AS a SET by_hand = true WHERE a.node_id = p_node AND a.file_id = p_file RETURNING a.* INTO file;
    END IF;
    RETURN QUERY SELECT file.state, file.since, file.due_at, file.by_hand, file.claim_id,
                        file.state = 'rehydrating' AND file.claim_id = p_claim;
END $$;
GRANT EXECUTE ON FUNCTION engine.claim_file TO neurigraph_request;
