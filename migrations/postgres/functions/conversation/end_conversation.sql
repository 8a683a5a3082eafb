-- Ends a conversation: its waiting turns are due, however few. p_silent: only if no turn came since then. NG404: not found, NG425: forgotten.
CREATE OR REPLACE FUNCTION engine.end_conversation(p_source text, p_silent timestamptz, p_now timestamptz) RETURNS SETOF engine.conversations
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM engine.refuse_forgotten('source', ARRAY[p_source]);
    UPDATE engine.conversations
    SET state = CASE WHEN stored = turns THEN 'ended' ELSE 'ending' END, ended_at = CASE WHEN stored = turns THEN p_now END
    WHERE user_id = engine.principal_graph() AND source_id = p_source AND state = 'open' AND (p_silent IS NULL OR last_at <= p_silent);
    RETURN QUERY SELECT * FROM engine.conversations WHERE user_id = engine.principal_graph() AND source_id = p_source;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'There is no such conversation.' USING ERRCODE = 'NG404';
    END IF;
END $$;
GRANT EXECUTE ON FUNCTION engine.end_conversation TO neurigraph_request;
