-- Whether the principal may write this commit: a user in the own graph; a persona only changes whose rows lie at nodes where it has a
-- grant to write. Rows that principals entered name no other user (`may_accept`); those of older releases may name none.
CREATE OR REPLACE FUNCTION engine.may_commit(p_user uuid, p_kind text, p_payload jsonb) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE engine.principal_kind()
        WHEN 'user' THEN p_user = engine.principal_id()
        WHEN 'persona' THEN p_user = engine.principal_graph() AND (
            SELECT coalesce(bool_and(coalesce(
                       engine.change_writers(c.kind) = 'writers'
                       AND engine.can('write', (r.part ->> 'node_id')::uuid), false)), false)
            FROM engine.graph_changes(p_kind, p_payload) AS c
            LEFT JOIN LATERAL jsonb_path_query(c.change, '$.*[*] ? (@.type() == "object")') AS r (part) ON true)
        ELSE false END
$$;
GRANT EXECUTE ON FUNCTION engine.may_commit TO neurigraph_request;
