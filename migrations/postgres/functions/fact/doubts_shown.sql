-- The pairs in doubt of the principal's own graph that nobody decided, the newest first, one page.
-- Only where both facts are live. p_since, p_newer, p_older: the last pair of the page before, or NULL. Nothing for anyone else than the user.
CREATE OR REPLACE FUNCTION engine.doubts_shown(p_since timestamptz, p_newer uuid, p_older uuid, p_most integer)
RETURNS TABLE (newer uuid, older uuid, kind text, since timestamptz, newer_text text, newer_node uuid, newer_from timestamptz,
               older_text text, older_node uuid, older_from timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    owner uuid := CASE WHEN engine.principal_kind() = 'user' THEN engine.principal_id() END;
    pairs engine.fact_doubts[] := ARRAY(
        SELECT d FROM engine.fact_doubts AS d JOIN engine.facts AS n ON n.fact_id = d.newer AND n.status = 'live'
        JOIN engine.facts AS o ON o.fact_id = d.older AND o.status = 'live'
        WHERE d.user_id = owner AND d.decision IS NULL AND (p_since IS NULL OR d.since < p_since OR d.since = p_since AND (d.newer, d.older) > (p_newer, p_older))
        ORDER BY d.since DESC, d.newer, d.older LIMIT p_most);
BEGIN
    RETURN QUERY
        WITH texts AS MATERIALIZED (SELECT * FROM engine.fact_texts(ARRAY(SELECT unnest(ARRAY[p.newer, p.older]) FROM unnest(pairs) AS p)))
        SELECT p.newer, p.older, p.kind, p.since, n.text, n.node_id, n.valid_from, o.text, o.node_id, o.valid_from
        FROM unnest(pairs) AS p JOIN texts AS n ON n.fact_id = p.newer JOIN texts AS o ON o.fact_id = p.older;
END $$;
GRANT EXECUTE ON FUNCTION engine.doubts_shown TO neurigraph_request;
