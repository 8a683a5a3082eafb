-- The terms of a document, for the index of a large node.
CREATE OR REPLACE FUNCTION engine.term_numbers(p_terms sparsevec) RETURNS integer[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT coalesce(array_agg(split_part(entry, ':', 1)::integer), '{}')
    FROM unnest(string_to_array(btrim(split_part(p_terms::text, '/', 1), '{}'), ',')) AS entry WHERE entry <> ''
$$;
GRANT EXECUTE ON FUNCTION engine.term_numbers TO neurigraph_request;
