-- The live facts with which a live fact stands in an undecided pair: that say the opposite, that it may replace, that may have replaced it. For functions.
CREATE OR REPLACE FUNCTION engine.doubts_with(p_fact engine.facts) RETURNS TABLE (contradicts uuid[], may_replace uuid[], maybe_replaced_by uuid[])
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(array_agg(o.fact_id ORDER BY o.fact_id) FILTER (WHERE p.kind = 'contradicts'), '{}'),
           coalesce(array_agg(o.fact_id ORDER BY o.fact_id) FILTER (WHERE p.kind = 'maybe' AND p.replaces), '{}'),
           coalesce(array_agg(o.fact_id ORDER BY o.fact_id) FILTER (WHERE p.kind = 'maybe' AND NOT p.replaces), '{}')
    FROM (SELECT d.older AS other, d.kind, true AS replaces FROM engine.fact_doubts AS d WHERE d.newer = p_fact.fact_id AND d.decision IS NULL
          UNION ALL SELECT d.newer, d.kind, false FROM engine.fact_doubts AS d WHERE d.older = p_fact.fact_id AND d.decision IS NULL) AS p
    JOIN engine.facts AS o ON o.fact_id = p.other AND o.status = 'live' AND p_fact.status = 'live'
$$;
