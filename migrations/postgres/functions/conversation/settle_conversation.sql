-- Moves a conversation forward to what engine.sources says is stored of it, and deletes the words of those turns. NG409:
-- the turns stored there are other ones. p_hard: a stored turn of more tokens is counted as oversized.
CREATE OR REPLACE FUNCTION engine.settle_conversation(p_source text, p_hard integer, p_now timestamptz) RETURNS SETOF engine.conversations
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    owner uuid := engine.principal_graph();
    c engine.conversations;
    done engine.sources;
    turn record;
    hash bytea;
    spent bigint := 0;
    large integer := 0;
BEGIN
    SELECT * INTO c FROM engine.conversations WHERE user_id = owner AND source_id = p_source FOR UPDATE;
    IF c.user_id IS NULL THEN
        RAISE EXCEPTION 'There is no such conversation.' USING ERRCODE = 'NG404';
    END IF;
    SELECT * INTO done FROM engine.sources WHERE user_id = owner AND source_id = p_source;
    IF done.units > c.stored THEN
        hash := c.chain;
        FOR turn IN SELECT t.digest, t.tokens FROM engine.conversation_turns AS t WHERE t.user_id = owner AND t.source_id = p_source
                    AND t.number >= c.stored AND t.number < done.units ORDER BY t.number
        LOOP
            hash := sha256(hash || turn.digest);
            spent := spent + turn.tokens;
            large := large + (turn.tokens > p_hard)::integer;
        END LOOP;
        IF done.units > c.turns OR hash <> done.content_hash THEN
            RAISE EXCEPTION 'Other turns are stored under this id.' USING ERRCODE = 'NG409';
        END IF;
        UPDATE engine.conversation_turns SET speaker = NULL, content = NULL
        WHERE user_id = owner AND source_id = p_source AND number >= c.stored - 1 AND number < done.units - 1 AND content IS NOT NULL;
        UPDATE engine.conversations
        SET stored = done.units, chain = hash, waiting_tokens = waiting_tokens - spent, oversized = oversized + large,
            failure = NULL, retry_at = NULL
        WHERE user_id = owner AND source_id = p_source
        RETURNING * INTO c;
    END IF;
    IF c.state = 'ending' AND c.stored = c.turns THEN
        UPDATE engine.conversations SET state = 'ended', ended_at = p_now WHERE user_id = owner AND source_id = p_source
        RETURNING * INTO c;
    END IF;
    IF c.state = 'ended' THEN
        UPDATE engine.conversation_turns SET speaker = NULL, content = NULL
        WHERE user_id = owner AND source_id = p_source AND number = c.turns - 1 AND content IS NOT NULL;
    END IF;
    RETURN NEXT c;
END $$;
GRANT EXECUTE ON FUNCTION engine.settle_conversation TO neurigraph_request;
