-- Claims an idempotency key for one carrier of its request, or finds what became of it. A claim that was given back, or not renewed in time, is free.
-- NG425 where what the request stored is forgotten; p_again: then the request is carried out anew.
CREATE OR REPLACE FUNCTION engine.claim_request(p_user uuid, p_key text, p_hash bytea, p_carrier uuid, p_lease double precision, p_again boolean)
RETURNS TABLE (request_hash bytea, answer jsonb, mine boolean)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    IF p_again THEN
        PERFORM engine.store_again('key', ARRAY[p_key]);
    END IF;
    PERFORM engine.refuse_forgotten('key', ARRAY[p_key]);
    IF p_again THEN
        UPDATE engine.idempotency AS i SET forgotten = false, request_hash = p_hash, claimed_until = NULL
        WHERE i.user_id = p_user AND i.key = p_key AND i.forgotten;
    ELSIF EXISTS (SELECT FROM engine.idempotency AS i WHERE i.user_id = p_user AND i.key = p_key AND i.forgotten) THEN
        RAISE EXCEPTION 'What this request stored was forgotten.' USING ERRCODE = 'NG425';
    END IF;
    RETURN QUERY
    INSERT INTO engine.idempotency AS i (user_id, key, request_hash, claimed_by, claimed_until)
    VALUES (p_user, p_key, p_hash, p_carrier, clock_timestamp() + make_interval(secs => p_lease))
    ON CONFLICT (user_id, key) DO UPDATE SET
        claimed_by = CASE WHEN i.answer IS NULL AND i.request_hash = excluded.request_hash AND coalesce(i.claimed_until, '-infinity') < clock_timestamp()
                          THEN excluded.claimed_by ELSE i.claimed_by END,
        claimed_until = CASE WHEN i.answer IS NULL AND i.request_hash = excluded.request_hash AND coalesce(i.claimed_until, '-infinity') < clock_timestamp()
                             THEN excluded.claimed_until ELSE i.claimed_until END
    RETURNING i.request_hash, i.answer, i.claimed_by = p_carrier;
END $$;
GRANT EXECUTE ON FUNCTION engine.claim_request TO neurigraph_request;
