-- Whether the principal may write this commit: a persona only to nodes where it has a grant to write.
CREATE OR REPLACE FUNCTION engine.may_commit(p_user uuid, p_kind text, p_payload jsonb) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN CASE engine.principal_kind()
    WHEN 'user' THEN p_user = engine.principal_id()
    WHEN 'persona' THEN p_user = engine.principal_graph() AND CASE p_kind
        WHEN 'records' THEN NOT EXISTS (
            SELECT FROM jsonb_array_elements(p_payload -> 'records') AS r
            WHERE r ->> 'user_id' <> p_user::text OR NOT engine.can('write', (r ->> 'node_id')::uuid))
        WHEN 'record_revised' THEN p_payload -> 'revision' ->> 'user_id' = p_user::text
            AND engine.can('write', (p_payload -> 'revision' ->> 'node_id')::uuid)
        ELSE false END
    ELSE false END;
GRANT EXECUTE ON FUNCTION engine.may_commit TO neurigraph_request;
