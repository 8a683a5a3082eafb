-- The nodes to search where a question leads to p_nodes: all (NULL) where everything that may be read is at most p_few items; else these and the nodes
-- that hold a rare word of the question, one that is in at most p_rare of all items and in none of these nodes. why: few_items, rare_words, or NULL. The
-- counts are those of now; of nodes with older tables, which count for themselves, nothing is known.
CREATE OR REPLACE FUNCTION engine.search_widened(p_user uuid, p_nodes uuid[], p_terms integer[], p_few integer, p_rare float8)
RETURNS TABLE (nodes uuid[], why text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    WITH counted AS MATERIALIZED (
        SELECT c.term, c.node_id, c.documents FROM engine.term_counts AS c
        WHERE c.user_id = p_user AND c.term = ANY (p_terms || 0) AND c.unit NOT LIKE '%record' AND c.unit NOT LIKE 'private scoped%'
    ), total AS (
        SELECT coalesce(sum(documents), 0) AS items FROM counted WHERE term = 0
    ), rare AS (
        SELECT c.term FROM counted AS c CROSS JOIN total AS t WHERE c.term > 0 AND c.documents > 0 GROUP BY c.term, t.items
        HAVING sum(c.documents) <= p_rare * t.items AND NOT bool_or(c.node_id = ANY (p_nodes))
    ), holding AS (
        SELECT array_agg(DISTINCT c.node_id) AS nodes FROM counted AS c JOIN rare AS r USING (term) WHERE c.documents > 0
    )
    SELECT CASE WHEN t.items > p_few THEN p_nodes || h.nodes END,
           CASE WHEN t.items <= p_few THEN 'few_items' WHEN h.nodes IS NOT NULL THEN 'rare_words' END
    FROM total AS t CROSS JOIN holding AS h
$$;
GRANT EXECUTE ON FUNCTION engine.search_widened TO neurigraph_request;
