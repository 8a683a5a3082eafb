-- Makes a token for a principal of the workspace; an administrator exists by its token.
CREATE OR REPLACE FUNCTION engine.create_token(p_token uuid, p_workspace text, p_kind text, p_principal uuid, p_name text, p_hash bytea,
                                    p_expires_at timestamptz, p_actor_kind text, p_actor uuid) RETURNS SETOF engine.tokens
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    made engine.tokens;
BEGIN
    IF p_kind <> 'administrator' AND NOT EXISTS (SELECT FROM engine.principal_in(p_workspace, p_kind, p_principal)) THEN
        RAISE EXCEPTION 'There is no such principal.' USING ERRCODE = 'NG404';
    END IF;
    INSERT INTO engine.tokens (token_id, workspace_id, principal_kind, principal_id, name, token_hash, expires_at)
    VALUES (p_token, engine.workspace_named(p_workspace), p_kind, CASE p_kind WHEN 'administrator' THEN p_token ELSE p_principal END,
            p_name, p_hash, p_expires_at) RETURNING * INTO made;
    PERFORM engine.note_token('token_created', made, p_actor_kind, p_actor, coalesce(', until ' || p_expires_at, ''));
    RETURN NEXT made;
END $$;
