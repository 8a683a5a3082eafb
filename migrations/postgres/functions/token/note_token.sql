-- Logs an event of a token. An administrator reads no memory, so it makes no token for a user or a persona: only the operator does.
CREATE OR REPLACE FUNCTION engine.note_token(p_event text, p_token engine.tokens, p_actor_kind text, p_actor uuid, p_detail text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF p_event = 'token_created' AND p_actor_kind <> 'operator' AND p_token.principal_kind IN ('user', 'persona') THEN
        RAISE EXCEPTION 'There is no such principal.' USING ERRCODE = 'NG404';
    END IF;
    INSERT INTO engine.access_log (event, user_id, actor_kind, actor_id, subject_kind, subject_id, detail)
    SELECT p_event, (SELECT p.graph FROM engine.workspaces AS w
                     CROSS JOIN LATERAL engine.principal_in(w.name, p_token.principal_kind, p_token.principal_id) AS p
                     WHERE w.workspace_id = p_token.workspace_id),
           p_actor_kind, p_actor, p_token.principal_kind, p_token.principal_id,
           format('token %s, %s%s', p_token.token_id, p_token.name, p_detail);
END $$;
