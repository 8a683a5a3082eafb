-- Purpose: nodes whose indexes for searches are to be built or dropped: all five where there are so many items, none where there are fewer than half.
--   How many items there are is the estimate of the catalog, or of the size of a table that was never analysed; an index of a slot that is not active is to go.
-- Parameters: items. Returns: schema_name, vectors (column of the active slot), dimension, large, needless (names of indexes to drop).
SELECT t.schema_name, t.vectors, t.dimension, t.items >= %(items)s AS large, t.needless
FROM (
    SELECT n.schema_name, CASE v.slot WHEN 'a' THEN 'embedding' ELSE 'embedding_b' END AS vectors, v.dimension,
           CASE WHEN c.reltuples < 0 THEN pg_relation_size(c.oid) / 2500 ELSE c.reltuples END AS items, w.needless, w.valid
    FROM engine.nodes AS n
    JOIN engine.embedding_versions AS v ON v.status = 'active'
    JOIN pg_namespace AS s ON s.nspname = n.schema_name
    JOIN pg_class AS c ON c.relnamespace = s.oid AND c.relname = 'memory_items' AND c.relkind = 'r'
    CROSS JOIN LATERAL (
        SELECT coalesce(array_agg(o.relname::text) FILTER (WHERE NOT x.indisvalid OR o.relname = 'memory_items_meaning_' || CASE v.slot WHEN 'a' THEN 'b' ELSE 'a' END
                                                           OR c.reltuples BETWEEN 0 AND %(items)s / 2), ARRAY[]::text[]) AS needless,
               count(*) FILTER (WHERE x.indisvalid AND o.relname IN ('memory_items_meaning_' || v.slot, 'memory_items_terms', 'memory_items_sessions', 'memory_items_records',
                                                                 'memory_items_versions')) AS valid
        FROM pg_index AS x JOIN pg_class AS o ON o.oid = x.indexrelid
        WHERE x.indrelid = c.oid AND o.relname IN ('memory_items_meaning_a', 'memory_items_meaning_b', 'memory_items_terms', 'memory_items_sessions', 'memory_items_records',
                                                     'memory_items_versions')) AS w
    WHERE n.state = 'live' AND n.template_version = engine.template_version() AND v.dimension <= 4000) AS t
WHERE cardinality(t.needless) > 0 OR t.items >= %(items)s AND t.valid < 5
ORDER BY t.schema_name
