-- The best items by their final score, cosine × confidence × 1 / (1 + age / p_days), with at least p_confidence, of all items that a search would scan. Age in
-- days until p_as_of; what is later has an age of 0. Items that point away from the question (cosine of 0 or less) are none. p_earliest: of both clocks that are
-- asked for, NULL for the present: before their right, readers are shown nothing. Each row, also the only one where nothing is found, has the counts.
CREATE OR REPLACE FUNCTION engine.search_decayed(p_user uuid, p_nodes uuid[], p_without uuid[], p_most integer, p_query vector, p_version text, p_days float8,
                                      p_confidence float8, p_kinds text[], p_sources text[], p_scopes text[], p_as_of timestamptz, p_known_at timestamptz,
                                      p_earliest timestamptz, p_filters jsonb, p_limit integer)
RETURNS TABLE (nodes_searched integer, items_searched bigint, active text, node_id uuid, item_id uuid, kind text, session uuid, "position" integer, speaker text,
               occurred_at timestamptz, cosine float8, confidence float8, age_days float8, decay float8, score float8)
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
    WITH places AS MATERIALIZED (
        SELECT array_agg(n.node_id) AS nodes, array_agg(n.schema_name) AS schemas
        FROM (
            SELECT f.* FROM engine.search_nodes(p_user, p_nodes, p_as_of, coalesce(p_known_at, 'infinity'), p_most) AS f
            WHERE p_earliest IS NULL OR coalesce(engine.reads_from(f.node_id, 'items'), engine.reads_from(f.node_id, NULL)) <= p_earliest
            UNION ALL
            SELECT f.* FROM engine.search_younger_nodes(p_user, p_nodes, p_as_of, p_known_at, p_most) AS f WHERE p_known_at IS NOT NULL
        ) AS n WHERE n.node_id <> ALL (p_without)
    ), scanned AS MATERIALIZED (
        SELECT s.place, s.item_id, s.kind, s.session, s.position, s.speaker, s.occurred_at, s.meaning, s.confidence::float8 AS confidence,
               greatest(0, extract(epoch FROM p_as_of - s.from_time)::float8 / 86400) AS age_days
        FROM places AS p, engine.search_scan(p.nodes, p.schemas, p_query, p_version, '{}/1000000', '{}/1000000', p_kinds, p_sources, p_scopes,
                                             p_as_of, coalesce(p_known_at, 'infinity'), coalesce(p_filters, '{}')) AS s
    ), best AS (
        SELECT s.*, 1 / (1 + s.age_days / p_days) AS decay, s.meaning * s.confidence / (1 + s.age_days / p_days) AS score
        FROM scanned AS s WHERE s.meaning > 0 AND s.confidence >= p_confidence::real
        ORDER BY score DESC, s.item_id LIMIT p_limit
    )
    SELECT coalesce(cardinality(p.nodes), 0), (SELECT count(*) FROM scanned), engine.active_embeddings(), p.nodes[b.place], b.item_id, b.kind, b.session,
           b.position, b.speaker, b.occurred_at, b.meaning, b.confidence, b.age_days, b.decay, b.score
    FROM places AS p LEFT JOIN best AS b ON true
    ORDER BY b.score DESC NULLS LAST, b.item_id
$$;
GRANT EXECUTE ON FUNCTION engine.search_decayed TO neurigraph_request;
