-- name: commits
-- Purpose: finished changes of nodes, edges and grants in their order, a page of commits. Service only.
-- Parameters: after_time, after (commit id), limit. Returns: commit_id, created_at, kind, change (of the graph).
SELECT o.commit_id, o.created_at, c.kind, c.change
FROM (SELECT w.* FROM engine.outbox AS w
      WHERE w.state = 'done' AND w.kinds && ARRAY['node_revised', 'edge_revised', 'granted', 'revoked']
        AND (w.created_at, w.commit_id) > (%(after_time)s::timestamptz, %(after)s::uuid)
      ORDER BY w.created_at, w.commit_id LIMIT %(limit)s) AS o, engine.graph_changes(o.kind, o.payload) AS c
WHERE c.kind IN ('node_revised', 'edge_revised', 'granted', 'revoked')
ORDER BY o.created_at, o.commit_id, c.place

-- name: decisions
-- Purpose: finished changes of these kinds in their order, a page of commits. Service only.
-- Parameters: kinds, after_time, after (commit id), limit. Returns: commit_id, user_id, created_at, kind, change (of the graph).
SELECT o.commit_id, o.user_id, o.created_at, c.kind, c.change
FROM (SELECT w.* FROM engine.outbox AS w
      WHERE w.state = 'done' AND w.kinds && %(kinds)s::text[] AND (w.created_at, w.commit_id) > (%(after_time)s::timestamptz, %(after)s::uuid)
      ORDER BY w.created_at, w.commit_id LIMIT %(limit)s) AS o, engine.graph_changes(o.kind, o.payload) AS c
WHERE c.kind = ANY (%(kinds)s::text[])
ORDER BY o.created_at, o.commit_id, c.place

-- name: edges_known
-- Purpose: which of these edges Postgres knows, with their newest change. Service only. Parameters: edges (texts). Returns: edge_id, revision.
SELECT c.change -> 'revision' ->> 'edge_id' AS edge_id, max((c.change -> 'revision' ->> 'revision')::integer) AS revision
FROM engine.outbox AS o, engine.graph_changes(o.kind, o.payload) AS c
WHERE 'edge_revised' = ANY (o.kinds) AND c.kind = 'edge_revised' AND c.change -> 'revision' ->> 'edge_id' = ANY (%(edges)s::text[]) GROUP BY 1

-- name: facts_again
-- Purpose: has the job carry these facts into the graph again. Service only. Parameters: facts (ids). Returns: nothing.
UPDATE engine.facts SET graph_revision = 0 WHERE fact_id = ANY (%(facts)s::uuid[])

-- name: grants_known
-- Purpose: which of these grants Postgres knows. Service only. Parameters: grants (uuids). Returns: grant_id.
SELECT g.grant_id FROM engine.grants AS g WHERE g.grant_id = ANY (%(grants)s::uuid[])

-- name: lacking
-- Purpose: nodes that have all tables, but not all that a new node is made of: policies, rights, triggers, keys, columns; of one page. Service only.
-- Parameters: nodes. Returns: node_id.
SELECT l.node_id FROM engine.node_lacks(%(nodes)s::uuid[]) AS l GROUP BY l.node_id HAVING NOT bool_or(l.kind = 'table') ORDER BY l.node_id

-- name: nodes
-- Purpose: nodes as the registry has them, parents before children, one page. Service only. Parameters: after_layer, after (node id), limit.
-- Returns: node_id, user_id, parent_id, name, name_key, node_type, layer, schema_name, created_at.
SELECT n.node_id, n.user_id, n.parent_id, n.name, n.name_key, n.node_type, n.layer, n.schema_name, n.created_at
FROM engine.nodes AS n
WHERE n.state = 'live' AND (n.layer, n.node_id) > (%(after_layer)s::integer, %(after)s::uuid)
ORDER BY n.layer, n.node_id LIMIT %(limit)s

-- name: records
-- Purpose: live records of a node, one page. Service only. Identifier: schema. Parameters: after (record id), limit. Returns: record_id, revision, items.
SELECT r.record_id, r.revision, (SELECT count(*) FROM {schema}.memory_items AS i
                                 WHERE i.record_id = r.record_id AND i.version_of IS NULL AND i.category <> 'whole') AS items
FROM {schema}.metadata_records AS r
WHERE r.version_of IS NULL AND r.state = 'live' AND r.record_id > %(after)s ORDER BY r.record_id LIMIT %(limit)s

-- name: records_there
-- Purpose: which of these records a node holds. Service only. Identifier: schema. Parameters: records. Returns: record_id, revision.
SELECT r.record_id, r.revision FROM {schema}.metadata_records AS r WHERE r.version_of IS NULL AND r.record_id = ANY (%(records)s::uuid[])

-- name: schema
-- Purpose: gives a node the tables that its schema lacks, empty, with their policies. Service only. Parameters: node_id, schema_name. Returns: made.
SELECT engine.mend_node_schema(%(node_id)s, %(schema_name)s) AS made

-- name: schemas
-- Purpose: nodes whose schema lacks tables of the template, one page. Service only. Parameters: after (node id), limit. Returns: node_id, schema_name.
SELECT n.node_id, n.schema_name FROM engine.nodes AS n
WHERE n.node_id > %(after)s
  AND EXISTS (SELECT FROM pg_class AS t WHERE t.relnamespace = 'template'::regnamespace AND t.relkind = 'r'
              AND NOT EXISTS (SELECT FROM pg_class AS c JOIN pg_namespace AS s ON s.oid = c.relnamespace
                              WHERE s.nspname = n.schema_name AND c.relname = t.relname AND c.relkind = 'r'))
ORDER BY n.node_id LIMIT %(limit)s

-- name: shell
-- Purpose: the graph's parts of the commits that made a node and changed it last. Service only. Parameters: node_id, user_id.
-- Returns: node (null where that commit is no longer kept), own (null where the node was never changed).
SELECT engine.node_made(%(user_id)s, %(node_id)s) AS node,
       (SELECT c.change -> 'revision' -> 'own' FROM engine.outbox AS o, engine.graph_changes(o.kind, o.payload) AS c
        WHERE o.user_id = %(user_id)s AND 'node_revised' = ANY (o.kinds) AND c.kind = 'node_revised'
          AND c.change -> 'revision' ->> 'node_id' = %(node_id)s::text
        ORDER BY (c.change -> 'revision' ->> 'revision')::integer DESC LIMIT 1) AS own

-- name: states
-- Purpose: states of nodes as their files make them, one page. Service only. Parameters: after (node id), limit. Returns: node_id, state, seq, changed_at.
SELECT s.node_id, s.state, s.seq, s.changed_at FROM engine.node_states AS s
WHERE s.node_id > %(after)s ORDER BY s.node_id LIMIT %(limit)s

-- name: surplus_nodes
-- Purpose: which of these nodes the registry knows, for the comparison with what the graph holds beyond it. Service only. Parameters: nodes.
-- Returns: node_id, schema_name, revision, readable (whether the service reads all records: without its policy, or where that is of another role, it reads none).
SELECT n.node_id, n.schema_name, n.revision,
       EXISTS (SELECT FROM pg_policy AS p, unnest(p.polroles) AS r WHERE p.polrelid = to_regclass(format('%%I.metadata_records', n.schema_name))
                 AND p.polname = 'service' AND (r = 0 OR pg_has_role(r, 'USAGE'))) AS readable
FROM engine.nodes AS n WHERE n.node_id = ANY (%(nodes)s::uuid[])
