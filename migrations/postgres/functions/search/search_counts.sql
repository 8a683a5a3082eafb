-- In how many documents of these nodes of a user the terms occur, per unit; term 0 counts the documents.
CREATE OR REPLACE FUNCTION engine.search_counts(p_user uuid, p_nodes uuid[], p_terms integer[])
RETURNS TABLE (unit text, term integer, documents integer)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT c.unit, c.term, least(sum(c.documents), 2147483647)::integer FROM engine.term_counts AS c
    WHERE c.user_id = p_user AND c.term = ANY (p_terms) AND c.node_id = ANY (p_nodes) GROUP BY c.unit, c.term;
END;
GRANT EXECUTE ON FUNCTION engine.search_counts TO neurigraph_request;
