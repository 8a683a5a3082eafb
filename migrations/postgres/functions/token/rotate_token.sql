-- Makes a new secret for the same principal, valid as long as the old one was made for. The old secret ends now, or after
-- the grace period, in which both are valid. A token is replaced once.
CREATE OR REPLACE FUNCTION engine.rotate_token(p_workspace text, p_token uuid, p_new uuid, p_hash bytea, p_grace interval,
                                    p_actor_kind text, p_actor uuid) RETURNS SETOF engine.tokens
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    old engine.tokens;
    made engine.tokens;
BEGIN
    SELECT t.* INTO old FROM engine.tokens AS t JOIN engine.workspaces AS w USING (workspace_id)
    WHERE t.token_id = p_token AND w.name = p_workspace FOR UPDATE OF t;
    IF old.token_id IS NULL THEN
        RAISE EXCEPTION 'There is no such token.' USING ERRCODE = 'NG404';
    END IF;
    IF old.revoked_at IS NOT NULL OR old.expires_at <= clock_timestamp()
       OR EXISTS (SELECT FROM engine.tokens AS t WHERE t.replaces = p_token) THEN
        RAISE EXCEPTION 'The token has ended or was already replaced.' USING ERRCODE = 'NG409';
    END IF;
    INSERT INTO engine.tokens (token_id, workspace_id, principal_kind, principal_id, name, token_hash, expires_at, replaces)
    VALUES (p_new, old.workspace_id, old.principal_kind, CASE old.principal_kind WHEN 'administrator' THEN p_new ELSE old.principal_id END,
            old.name, p_hash, least(clock_timestamp() + (old.expires_at - old.created_at), '9999-12-31'), p_token) RETURNING * INTO made;
    PERFORM engine.note_token('token_created', made, p_actor_kind, p_actor, ', replaces ' || p_token);
    IF p_grace > interval '0' THEN
        UPDATE engine.tokens AS t SET expires_at = least(t.expires_at, clock_timestamp() + p_grace)
        WHERE t.token_id = p_token RETURNING t.* INTO old;
        PERFORM engine.note_token('token_revoked', old, p_actor_kind, p_actor, ', as of ' || old.expires_at);
    ELSE
        UPDATE engine.tokens AS t SET revoked_at = clock_timestamp() WHERE t.token_id = p_token RETURNING t.* INTO old;
        PERFORM engine.note_token('token_revoked', old, p_actor_kind, p_actor, '');
    END IF;
    RETURN NEXT made;
END $$;
