-- The kinds of the changes of a commit's row, each once, with the kind that the row says: a damaged row has at least that.
CREATE OR REPLACE FUNCTION engine.change_kinds(p_kind text, p_payload jsonb) RETURNS text[]
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT array_agg(k.kind ORDER BY k.kind) FROM (SELECT p_kind AS kind UNION SELECT c.kind FROM engine.graph_changes(p_kind, p_payload) AS c) AS k
$$;
GRANT EXECUTE ON FUNCTION engine.change_kinds TO neurigraph_request;
