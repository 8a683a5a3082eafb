-- The changes of the graph of a commit's row, in their order, each with its kind; rows of older releases hold one, with its kind
-- beside it.
CREATE OR REPLACE FUNCTION engine.graph_changes(p_kind text, p_payload jsonb) RETURNS TABLE (place bigint, kind text, change jsonb)
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT c.place, coalesce(c.change ->> 'kind', p_kind),
        CASE WHEN jsonb_typeof(c.change) = 'object' AND NOT c.change ? 'kind' THEN c.change || jsonb_build_object('kind', p_kind)
             ELSE c.change END
    FROM jsonb_array_elements(CASE WHEN NOT p_payload ? 'changes' THEN jsonb_build_array(p_payload)
                                   WHEN jsonb_typeof(p_payload -> 'changes') = 'array' THEN p_payload -> 'changes'
                                   ELSE '[]' END) WITH ORDINALITY AS c (change, place)
$$;
GRANT EXECUTE ON FUNCTION engine.graph_changes TO neurigraph_request;
