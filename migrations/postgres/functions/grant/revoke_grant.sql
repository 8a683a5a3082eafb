-- Revokes a grant now: it ends before the next statement of any session. Revoking it again changes nothing; the commit is then the
-- one that revoked it, or NULL for a grant that was discarded.
CREATE OR REPLACE FUNCTION engine.revoke_grant(p_commit uuid, p_grant uuid)
RETURNS TABLE (revoked_at timestamptz, changed boolean, commit_id uuid, payload jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    owner uuid := engine.principal_user();
    found engine.grants;
    message jsonb;
BEGIN
    SELECT * INTO found FROM engine.grants AS g WHERE g.grant_id = p_grant AND g.user_id = owner FOR UPDATE;
    IF found.grant_id IS NULL THEN
        RAISE EXCEPTION 'There is no such grant.' USING ERRCODE = 'NG404';
    END IF;
    message := jsonb_build_object('kind', 'revoked', 'grant', jsonb_build_object(
        'grant_id', p_grant, 'node_id', found.node_id, 'subject_id', found.subject_id, 'subject_kind', found.subject_kind));
    IF found.revoked_at IS NOT NULL THEN
        RETURN QUERY SELECT found.revoked_at, false, (
            SELECT o.commit_id FROM engine.outbox AS o, engine.graph_changes(o.kind, o.payload) AS c
            WHERE o.user_id = owner AND 'revoked' = ANY (o.kinds) AND c.kind = 'revoked' AND c.change #>> '{grant,grant_id}' = p_grant::text
            LIMIT 1), message;
        RETURN;
    END IF;
    UPDATE engine.grants AS g SET revoked_at = clock_timestamp() WHERE g.grant_id = p_grant RETURNING * INTO found;
    INSERT INTO engine.access_log (event, user_id, node_id, actor_kind, actor_id, subject_kind, subject_id, grant_id)
    VALUES ('revoked', owner, found.node_id, 'user', owner, found.subject_kind, found.subject_id, p_grant);
    PERFORM engine.accept_commit(p_commit, owner, jsonb_build_array(message));
    RETURN QUERY SELECT found.revoked_at, true, p_commit, message;
END $$;
GRANT EXECUTE ON FUNCTION engine.revoke_grant TO neurigraph_request;
