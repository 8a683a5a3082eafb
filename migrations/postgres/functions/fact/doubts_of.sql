-- The pairs in which a fact is the newer one, as its row carries them; only those whose older fact the principal may read. For functions.
CREATE OR REPLACE FUNCTION engine.doubts_of(p_fact uuid) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(jsonb_agg(jsonb_build_object('older', d.older, 'kind', d.kind, 'since', d.since, 'decision', d.decision, 'decided_at', d.decided_at)
                              ORDER BY d.since, d.older), '[]')
    FROM engine.fact_doubts AS d JOIN engine.facts AS o ON o.fact_id = d.older
    WHERE d.newer = p_fact AND engine.can('read', o.node_id, 'items') AND (o.privacy <> 'private' OR engine.owns(o.node_id))
$$;
