-- Whether the principal itself may enter this commit in the outbox: none with a change that only functions of the database enter, none
-- that says another kind than that of its first change, and none with a row that names another user, or none.
CREATE OR REPLACE FUNCTION engine.may_accept(p_user uuid, p_kind text, p_payload jsonb) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT engine.may_commit(p_user, p_kind, p_payload) AND p_kind = coalesce(p_payload #>> '{changes,0,kind}', p_kind)
        AND coalesce(bool_and(engine.change_writers(c.kind) <> 'functions' AND NOT EXISTS (
            SELECT FROM jsonb_path_query(c.change, '$.*[*] ? (@.type() == "object")') AS r (part)
            WHERE r.part ->> 'user_id' IS DISTINCT FROM p_user::text)), false)
    FROM engine.graph_changes(p_kind, p_payload) AS c
$$;
GRANT EXECUTE ON FUNCTION engine.may_accept TO neurigraph_request;
