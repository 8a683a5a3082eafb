-- Tokens: credentials of users, personas, integrations and administrators. The secret itself is never here, only its
-- SHA-256; it has 256 random bits, so a slow hash would add nothing. The request role has no right on any of this.

CREATE TABLE engine.tokens (
    token_id       uuid PRIMARY KEY,
    workspace_id   uuid NOT NULL REFERENCES engine.workspaces,
    principal_kind text NOT NULL CHECK (principal_kind IN ('user', 'persona', 'third_party', 'administrator')),
    principal_id   uuid NOT NULL,  -- the user, the persona's node, the integration; an administrator's is its token
    name           text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
    token_hash     bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
    created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at     timestamptz,
    revoked_at     timestamptz,
    last_used_at   timestamptz,
    replaces       uuid UNIQUE REFERENCES engine.tokens,
    CHECK (principal_kind <> 'administrator' OR principal_id = token_id)
);
CREATE INDEX tokens_of_workspace ON engine.tokens (workspace_id, created_at, token_id);
ALTER TABLE engine.tokens ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.tokens FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.tokens TO CURRENT_USER USING (true) WITH CHECK (true);

-- The workspace of that name, made where there is none.
CREATE FUNCTION engine.workspace_named(p_name text) RETURNS uuid
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
    INSERT INTO engine.workspaces (workspace_id, name) VALUES (gen_random_uuid(), p_name) ON CONFLICT DO NOTHING;
    RETURN (SELECT w.workspace_id FROM engine.workspaces AS w WHERE w.name = p_name);
END $$;
REVOKE ALL ON FUNCTION engine.workspace_named FROM PUBLIC;

-- Whether the workspace has such a principal, and whose graph it belongs to: one row, or none.
CREATE FUNCTION engine.principal_in(p_workspace text, p_kind text, p_id uuid) RETURNS TABLE (graph uuid)
LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
    SELECT u.user_id FROM engine.users AS u JOIN engine.workspaces AS w USING (workspace_id)
    WHERE p_kind = 'user' AND w.name = p_workspace AND u.user_id = p_id
    UNION ALL
    SELECT n.user_id FROM engine.nodes AS n JOIN engine.users AS u USING (user_id) JOIN engine.workspaces AS w USING (workspace_id)
    WHERE p_kind = 'persona' AND w.name = p_workspace AND n.node_id = p_id AND n.node_type = 'persona' AND n.state = 'live'
      AND n.known_to IS NULL
    UNION ALL
    SELECT NULL FROM engine.integrations AS i JOIN engine.workspaces AS w USING (workspace_id)
    WHERE p_kind = 'third_party' AND w.name = p_workspace AND i.integration_id = p_id
$$;
REVOKE ALL ON FUNCTION engine.principal_in FROM PUBLIC;

-- An administrator keeps tokens but reads no memory, so it makes none for a user or a persona: that is the operator's.
CREATE FUNCTION engine.note_token(p_event text, p_token engine.tokens, p_actor_kind text, p_actor uuid, p_detail text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
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
REVOKE ALL ON FUNCTION engine.note_token FROM PUBLIC;

-- A token for a principal of the workspace; an administrator is made by its token.
CREATE FUNCTION engine.create_token(p_token uuid, p_workspace text, p_kind text, p_principal uuid, p_name text, p_hash bytea,
                                    p_expires_at timestamptz, p_actor_kind text, p_actor uuid) RETURNS SETOF engine.tokens
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
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
REVOKE ALL ON FUNCTION engine.create_token FROM PUBLIC;

-- Ends a token now; the next request with it is refused. Ending it again changes nothing.
CREATE FUNCTION engine.revoke_token(p_workspace text, p_token uuid, p_actor_kind text, p_actor uuid) RETURNS SETOF engine.tokens
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
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
REVOKE ALL ON FUNCTION engine.revoke_token FROM PUBLIC;

-- A new secret for the same principal, for as long again as the old one was made for. The old one ends now, or after
-- the grace, in which both are good. A token is replaced once.
CREATE FUNCTION engine.rotate_token(p_workspace text, p_token uuid, p_new uuid, p_hash bytea, p_grace interval,
                                    p_actor_kind text, p_actor uuid) RETURNS SETOF engine.tokens
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
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
        RAISE EXCEPTION 'The token has ended or was replaced already.' USING ERRCODE = 'NG409';
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
REVOKE ALL ON FUNCTION engine.rotate_token FROM PUBLIC;

-- Whose token it is: one row where it is in force in this workspace, else none. Its use is noted once a minute, by
-- whoever finds the row free.
CREATE FUNCTION engine.authenticate_token(p_workspace text, p_hash bytea) RETURNS TABLE (principal_kind text, principal_id uuid)
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
#variable_conflict use_column
DECLARE
    token engine.tokens;
BEGIN
    SELECT t.* INTO token FROM engine.tokens AS t JOIN engine.workspaces AS w USING (workspace_id)
    WHERE t.token_hash = p_hash AND w.name = p_workspace AND t.revoked_at IS NULL
      AND (t.expires_at IS NULL OR t.expires_at > statement_timestamp());
    IF token.token_id IS NULL THEN
        RETURN;
    END IF;
    IF token.last_used_at IS NULL OR token.last_used_at <= statement_timestamp() - interval '1 minute' THEN
        UPDATE engine.tokens AS t SET last_used_at = statement_timestamp()
        WHERE t.token_id IN (SELECT u.token_id FROM engine.tokens AS u WHERE u.token_id = token.token_id
                             AND u.last_used_at IS NOT DISTINCT FROM token.last_used_at FOR UPDATE SKIP LOCKED);
    END IF;
    RETURN QUERY SELECT token.principal_kind, token.principal_id;
END $$;
REVOKE ALL ON FUNCTION engine.authenticate_token FROM PUBLIC;

-- An application that users may grant nodes to. Repeating it changes nothing.
CREATE FUNCTION engine.create_integration(p_integration uuid, p_workspace text, p_name text)
RETURNS TABLE (integration_id uuid, name text, created_at timestamptz, created boolean)
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
#variable_conflict use_column
DECLARE
    space uuid := engine.workspace_named(p_workspace);
BEGIN
    INSERT INTO engine.integrations (integration_id, workspace_id, name) VALUES (p_integration, space, p_name)
    ON CONFLICT (workspace_id, name) DO NOTHING;
    RETURN QUERY SELECT i.integration_id, i.name, i.created_at, i.integration_id = p_integration
                 FROM engine.integrations AS i WHERE i.workspace_id = space AND i.name = p_name;
END $$;
REVOKE ALL ON FUNCTION engine.create_integration FROM PUBLIC;
