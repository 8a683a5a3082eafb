-- The terms as query vectors, each weighted by how rare it is in the searched nodes. Turns and passages share one
-- count, so that three chunks among a thousand turns are weighed against all of them.
CREATE OR REPLACE FUNCTION engine.search_vectors(p_user uuid, p_nodes uuid[], p_terms integer[], p_scopes text[])
RETURNS TABLE (items sparsevec, records sparsevec)
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
    WITH counted AS (
        SELECT unit LIKE '%record' AS of_records, term, sum(documents)::float8 AS documents
        FROM engine.search_counts(p_user, p_nodes, p_terms || 0)
        WHERE unit NOT LIKE 'private scoped%' OR cardinality(p_scopes) > 0
        GROUP BY 1, 2
    ), weighed AS (
        SELECT t.of_records, string_agg(t.term || ':' || ln(1 + greatest(0, n.documents - t.documents + 0.5) / (t.documents + 0.5)),
                                        ',' ORDER BY t.term) AS entries
        FROM counted AS t
        JOIN counted AS n ON n.of_records = t.of_records AND n.term = 0
        WHERE t.term > 0 AND t.documents > 0
        GROUP BY t.of_records
    )
    SELECT ('{' || coalesce(max(entries) FILTER (WHERE NOT of_records), '') || '}/1000000')::sparsevec,
           ('{' || coalesce(max(entries) FILTER (WHERE of_records), '') || '}/1000000')::sparsevec
    FROM weighed
$$;
GRANT EXECUTE ON FUNCTION engine.search_vectors TO neurigraph_request;
