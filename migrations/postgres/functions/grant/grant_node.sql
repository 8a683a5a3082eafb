-- Grants a subject a right on a node; the row and the graph's part are one commit. The same right twice is one grant:
-- its commit, which has the grant's id, says the graph's part.
-- NG404 for a caller that is not the owner, and for a subject that is missing or out of reach.
CREATE OR REPLACE FUNCTION engine.grant_node(p_grant uuid, p_node uuid, p_kind text, p_subject uuid, p_mode text, p_depth integer,
                                  p_fields text[], p_purpose text, p_expires_at timestamptz, p_past boolean)
RETURNS TABLE (grant_id uuid, granted_at timestamptz, created boolean, payload jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    owner uuid := engine.principal_user();
    made engine.grants;
    message jsonb;
BEGIN
    IF NOT engine.owns(p_node)
       OR NOT EXISTS (SELECT FROM engine.nodes AS n WHERE n.node_id = p_node AND n.state = 'live' AND n.known_to IS NULL)
       OR NOT (CASE p_kind
            WHEN 'persona' THEN EXISTS (SELECT FROM engine.nodes AS n WHERE n.node_id = p_subject AND n.user_id = owner
                                        AND n.node_type = 'persona' AND n.state = 'live')
            WHEN 'third_party' THEN EXISTS (SELECT FROM engine.integrations AS i JOIN engine.users AS u USING (workspace_id)
                                            WHERE i.integration_id = p_subject AND u.user_id = owner)
            ELSE false END) THEN
        RAISE EXCEPTION 'There is no such node.' USING ERRCODE = 'NG404';
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended(p_node::text || p_subject::text, 0));
    SELECT * INTO made FROM engine.grants AS g
    WHERE g.node_id = p_node AND g.subject_kind = p_kind AND g.subject_id = p_subject AND g.mode = p_mode AND g.depth = p_depth
      AND g.fields = p_fields AND g.purpose = p_purpose AND g.expires_at IS NOT DISTINCT FROM p_expires_at AND g.past = p_past
      AND g.revoked_at IS NULL AND (g.expires_at IS NULL OR g.expires_at > statement_timestamp());
    IF made.grant_id IS NOT NULL THEN
        RETURN QUERY SELECT made.grant_id, made.granted_at, false, NULL::jsonb;
        RETURN;
    END IF;
    INSERT INTO engine.grants (grant_id, user_id, node_id, subject_kind, subject_id, mode, depth, fields, purpose, expires_at, past)
    VALUES (p_grant, owner, p_node, p_kind, p_subject, p_mode, p_depth, p_fields, p_purpose, p_expires_at, p_past) RETURNING * INTO made;
    INSERT INTO engine.access_log (event, user_id, node_id, actor_kind, actor_id, subject_kind, subject_id, grant_id, detail)
    VALUES ('granted', owner, p_node, 'user', owner, p_kind, p_subject, p_grant,
            format('%s, depth %s, %s%s%s', p_mode, p_depth, array_to_string(p_fields, ' '), CASE WHEN p_past THEN ', with the past' END,
                   coalesce(', until ' || p_expires_at, '')));
    message := jsonb_build_object('kind', 'granted', 'grant', jsonb_build_object(
        'grant_id', p_grant, 'node_id', p_node, 'subject_id', p_subject, 'subject_kind', p_kind, 'mode', p_mode, 'depth', p_depth,
        'fields', p_fields, 'expires_at', to_char(p_expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        'granted_at', to_char(made.granted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'past', p_past));
    PERFORM engine.accept_commit(p_grant, owner, jsonb_build_array(message));
    RETURN QUERY SELECT p_grant, made.granted_at, true, message;
END $$;
GRANT EXECUTE ON FUNCTION engine.grant_node TO neurigraph_request;
