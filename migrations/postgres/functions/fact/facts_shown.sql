-- Facts of the principal's own graph with their texts, one page; with p_fact the whole chain of that one. Nothing for anyone else:
-- whoever may ask for a subject could test guesses. p_doubt: contradicts (only those in a pair that does not agree), any (also those that may be replaced, or
-- replace another one), NULL (all).
CREATE OR REPLACE FUNCTION engine.facts_shown(
    p_subject bigint, p_node uuid, p_status text, p_doubt text, p_fact uuid, p_after uuid, p_most integer)
RETURNS TABLE (fact_id uuid, node_id uuid, record_id uuid, chain_id uuid, text text, category text, subjects text[], status text, supersedes uuid,
               ended_by uuid, contradicts uuid[], may_replace uuid[], maybe_replaced_by uuid[], valid_from timestamptz, valid_to timestamptz, known_from timestamptz, invalidated_at timestamptz,
               last_confirmed_at timestamptz, confirmations integer, confirmed_by uuid[], stale boolean, confidence real, importance real,
               access_count integer, last_accessed_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    owner uuid := CASE WHEN engine.principal_kind() = 'user' THEN engine.principal_id() END;
    chain uuid := (SELECT f.chain_id FROM engine.facts AS f WHERE f.fact_id = p_fact AND f.user_id = owner);
    paired uuid[] := ARRAY(SELECT unnest(ARRAY[d.newer, d.older]) FROM engine.fact_doubts AS d
                           JOIN engine.facts AS n ON n.fact_id = d.newer AND n.status = 'live' JOIN engine.facts AS o ON o.fact_id = d.older AND o.status = 'live'
                           WHERE p_doubt IS NOT NULL AND d.user_id = owner AND d.decision IS NULL AND (p_doubt = 'any' OR d.kind = p_doubt));
    ids uuid[];
BEGIN
    SELECT array_agg(s.fact_id) INTO ids FROM (
        SELECT f.fact_id FROM engine.facts AS f
        WHERE f.user_id = owner AND f.status <> 'confirmation' AND CASE WHEN p_fact IS NOT NULL THEN f.chain_id = chain ELSE
              (p_subject IS NULL OR f.subject = p_subject) AND (p_node IS NULL OR f.node_id = p_node) AND (p_status IS NULL OR f.status = p_status)
              AND (p_after IS NULL OR f.fact_id > p_after)
              AND (p_doubt IS NULL OR f.fact_id = ANY (paired)) END
        ORDER BY f.fact_id LIMIT p_most) AS s;
    RETURN QUERY SELECT * FROM engine.fact_texts(ids);
END $$;
GRANT EXECUTE ON FUNCTION engine.facts_shown TO neurigraph_request;
