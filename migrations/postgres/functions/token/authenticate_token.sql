-- The principal of a token: one row if the token is valid in this workspace, else none. Its use is noted once a minute, by
-- a caller that finds the row unlocked.
CREATE OR REPLACE FUNCTION engine.authenticate_token(p_workspace text, p_hash bytea) RETURNS TABLE (principal_kind text, principal_id uuid)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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
