-- Marks an entry that needed review as reviewed by its user, with one more entry. Repeating it returns the same entry.
CREATE OR REPLACE FUNCTION engine.review_file_state(p_entry bigint, p_note text, p_now timestamptz) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    looked_at engine.compression_state_log;
    made bigint;
BEGIN
    SELECT * INTO looked_at FROM engine.compression_state_log AS l
    WHERE l.entry_id = p_entry AND l.needs_review AND l.user_id = engine.principal_user();
    IF looked_at.entry_id IS NULL THEN
        RAISE EXCEPTION 'There is no such entry.' USING ERRCODE = 'NG404';
    END IF;
    INSERT INTO engine.compression_state_log (occurred_at, user_id, node_id, file_id, from_state, to_state, trigger, actor_kind,
                                              actor_id, claim_id, detail, reviews)
    VALUES (p_now, looked_at.user_id, looked_at.node_id, looked_at.file_id, looked_at.to_state, looked_at.to_state, 'review',
            engine.principal_kind(), engine.principal_id(), looked_at.claim_id, left(p_note, 500), p_entry)
    ON CONFLICT (reviews) DO NOTHING RETURNING entry_id INTO made;
    RETURN coalesce(made, (SELECT l.entry_id FROM engine.compression_state_log AS l WHERE l.reviews = p_entry));
END $$;
GRANT EXECUTE ON FUNCTION engine.review_file_state TO neurigraph_request;
