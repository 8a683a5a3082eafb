-- Ends a token now; the next request with it is refused. Ending it again changes nothing.
CREATE OR REPLACE FUNCTION engine.revoke_token(p_workspace text, p_token uuid, p_actor_kind text, p_actor uuid) RETURNS SETOF engine.tokens
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    token engine.tokens;
BEGIN
    SELECT t.* INTO token FROM engine.tokens AS t JOIN engine.workspaces AS w USING (workspace_id)
    WHERE t.token_id = p_token AND w.name = p_workspace FOR UPDATE OF t;
    IF token.token_id IS NULL THEN
        RAISE EXCEPTION 'There is no such token.' USING ERRCODE = 'NG404';
    END IF;
    IF token.revoked_at IS NULL THEN
        UPDATE engine.tokens AS t SET revoked_at = clock_timestamp() WHERE t.token_id = p_token RETURNING t.* INTO token;
        PERFORM engine.note_token('token_revoked', token, p_actor_kind, p_actor, '');
    END IF;
    RETURN NEXT token;
END $$;
