-- The strongest live facts about subjects (hashes) that all may know who read a certain node: private ones, and those of threads and workflows, are left
-- out, and plans whose day has passed at p_now. p_lines: number, subject, node (null: any). For the user of the graph.
CREATE OR REPLACE FUNCTION engine.facts_described(p_lines jsonb, p_most integer, p_now timestamptz) RETURNS TABLE (number integer, text text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    owner uuid := CASE WHEN engine.principal_kind() = 'user' THEN engine.principal_id() END;
    numbers integer[];
    facts uuid[];
BEGIN
    SELECT array_agg(s.number), array_agg(s.fact_id) INTO numbers, facts FROM (
        SELECT l.number, f.fact_id, row_number() OVER (PARTITION BY l.number ORDER BY f.confirmations DESC,
               coalesce(f.last_confirmed_at, f.said_at, f.known_from) DESC, f.fact_id) AS rank
        FROM jsonb_to_recordset(p_lines) AS l (number integer, subject bigint, node uuid)
        JOIN engine.facts AS f ON f.user_id = owner AND f.subject = l.subject AND f.status = 'live' AND f.privacy = 'org' AND f.scope = 'user'
                                  AND (l.node IS NULL OR f.node_id = l.node)
        WHERE NOT EXISTS (SELECT FROM engine.fact_attributes AS a WHERE a.fact_id = f.fact_id AND a.holds_until <= p_now)) AS s
    WHERE s.rank <= p_most;
    RETURN QUERY SELECT c.number, t.text FROM unnest(numbers, facts) AS c (number, fact_id) JOIN engine.fact_texts(facts) AS t USING (fact_id)
                 ORDER BY c.number, t.supersedes IS NULL, t.confirmations DESC, t.fact_id;
END $$;
GRANT EXECUTE ON FUNCTION engine.facts_described TO neurigraph_request;
