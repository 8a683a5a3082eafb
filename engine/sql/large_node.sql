-- name: analyse
-- Purpose: counts the items of a node for the planner, and for what is done with large nodes. Identifier: schema. Parameters: none. Returns: nothing.
ANALYZE {schema}.memory_items

-- name: drop
-- Purpose: drops an index of a node while it is read. Identifiers: schema, index. Parameters: none. Returns: nothing.
DROP INDEX CONCURRENTLY IF EXISTS {schema}.{index}

-- name: hold
-- Purpose: takes the lock of the one process that builds indexes of large nodes, for the session. Parameters: none. Returns: whether it is held.
SELECT pg_try_advisory_lock(hashtext('neurigraph indexes of large nodes')) AS held

-- name: meaning
-- Purpose: indexes the vectors of a node by HNSW, in half precision, while it is read and written. Identifiers: schema, index, vectors; dimension (a
--   number). Parameters: none. Returns: nothing.
CREATE INDEX CONCURRENTLY IF NOT EXISTS {index} ON {schema}.memory_items USING hnsw (({vectors}::halfvec({dimension})) halfvec_ip_ops)
    WITH (m = 16, ef_construction = 100)

-- name: records
-- Purpose: indexes the items of a node by their record, for what reads a record again or ends it. Identifier: schema. Parameters: none. Returns: nothing.
CREATE INDEX CONCURRENTLY IF NOT EXISTS memory_items_records ON {schema}.memory_items (record_id)

-- name: release
-- Purpose: ends the lock and the settings of a session that built indexes of large nodes. Parameters: none. Returns: nothing.
SELECT pg_advisory_unlock(hashtext('neurigraph indexes of large nodes')), set_config('maintenance_work_mem', boot.work_mem, false),
       set_config('statement_timeout', boot.timeout, false), set_config('max_parallel_maintenance_workers', boot.workers, false)
FROM (SELECT max(reset_val) FILTER (WHERE name = 'maintenance_work_mem') || 'kB' AS work_mem, max(reset_val) FILTER (WHERE name = 'statement_timeout') AS timeout,
             max(reset_val) FILTER (WHERE name = 'max_parallel_maintenance_workers') AS workers FROM pg_settings) AS boot

-- name: sessions
-- Purpose: indexes the places of the items of a node in their sessions. Identifier: schema. Parameters: none. Returns: nothing.
CREATE INDEX CONCURRENTLY IF NOT EXISTS memory_items_sessions ON {schema}.memory_items (session, position)

-- name: settings
-- Purpose: lets a session build a large index: memory for 100,000 vectors, no limit of time but the job's; alone, because shared memory of containers
--   is small. Parameters: none. Returns: nothing.
SELECT set_config('maintenance_work_mem', '256MB', false), set_config('statement_timeout', '0', false),
       set_config('max_parallel_maintenance_workers', '0', false)

-- name: terms
-- Purpose: indexes the terms of the items of a node. Identifier: schema. Parameters: none. Returns: nothing.
CREATE INDEX CONCURRENTLY IF NOT EXISTS memory_items_terms ON {schema}.memory_items USING gin (engine.term_numbers(terms))

-- name: versions
-- Purpose: indexes the slices of the items of a node by their item, for changes of what was changed before. Identifier: schema. Parameters: none. Returns: nothing.
CREATE INDEX CONCURRENTLY IF NOT EXISTS memory_items_versions ON {schema}.memory_items (version_of) WHERE version_of IS NOT NULL

-- name: work
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
