-- name: archive
-- Purpose: archives a node with all below it, or takes it back; part of the commit of a change of the node.
-- Parameters: node_id, archived, now. Returns: node_id and times (of all archivings) of each node for which that changed something.
SELECT node_id::text AS node_id, to_jsonb(archivings) AS times
FROM engine.archive_node(%(node_id)s, %(archived)s, %(now)s)

-- name: archived
-- Purpose: whether one of these nodes is archived, by itself or with a node above it. Parameters: nodes (uuid[]).
-- Returns: archived; false for nodes that are missing or not readable.
SELECT EXISTS (
    SELECT FROM engine.nodes WHERE node_id = ANY (%(nodes)s::uuid[]) AND cardinality(archivings) %% 2 = 1) AS archived

-- name: hierarchy_event
-- Purpose: logs an event of the hierarchy. Parameters: user_id, node_id, event, detail. Returns: nothing.
INSERT INTO engine.hierarchy_log (user_id, node_id, event, detail)
VALUES (%(user_id)s, %(node_id)s, %(event)s, %(detail)s)

-- name: path
-- Purpose: a readable live node with the names from the root down to it.
-- Parameters: node_id. Returns: one row (names, layer, user_id, root_schema); none when missing or not readable.
WITH RECURSIVE up AS (
    SELECT node_id, parent_id, user_id, name, layer, schema_name
    FROM engine.nodes WHERE node_id = %(node_id)s AND state = 'live' AND known_to IS NULL
    UNION ALL
    SELECT p.node_id, p.parent_id, p.user_id, p.name, p.layer, p.schema_name
    FROM engine.nodes AS p JOIN up ON p.node_id = up.parent_id
)
SELECT array_agg(name ORDER BY layer) AS names, max(layer)::integer AS layer, (array_agg(user_id))[1] AS user_id,
       (array_agg(schema_name ORDER BY layer))[1] AS root_schema
FROM up HAVING count(*) > 0

-- name: provision
-- Purpose: registers a node with its schema and the outbox row, or finds the sibling of that name.
-- Parameters: node_id, parent_id, name, key, type, schemas (tried in order), payload. Returns: one row.
SELECT * FROM engine.provision_node(%(node_id)s, %(parent_id)s, %(name)s, %(key)s, %(type)s, %(schemas)s, %(payload)s)

-- name: revise
-- Purpose: changes a node for its user: name, place, what the graph holds; one commit. Parameters: commit_id, node_id, expected
--   (revision), name, key, parent_id, slices, delta, payload (jsonb each). Returns: payload (the graph's part of the commit).
SELECT payload FROM engine.revise_node(%(commit_id)s, %(node_id)s, %(expected)s::integer, %(name)s, %(key)s, %(parent_id)s::uuid,
                                       %(slices)s, %(delta)s, %(payload)s)

-- name: schema
-- Purpose: the schema of a node of one graph that the principal may read. Parameters: node_id, user_id (whose graph), earliest (of
--   the times that are asked for, or null: it must be shown as it was then).
-- Returns: schema_name; none when missing or hidden.
SELECT schema_name FROM engine.nodes WHERE node_id = %(node_id)s AND user_id = %(user_id)s AND state = 'live' AND known_to IS NULL
  AND (%(earliest)s::timestamptz IS NULL OR engine.reads_from(node_id, NULL) <= %(earliest)s)

-- name: state_log_page
-- Purpose: the state log of the principal's graph, newest first, one page.
-- Parameters: before (entry_id or null), node_id, file_id (or null), to_review (only entries that were not reviewed), limit.
-- Returns: the columns of StateEntry.
SELECT l.entry_id, l.occurred_at, l.node_id, l.file_id, l.from_state, l.to_state, l.trigger, l.actor_kind, l.actor_id, l.detail,
       l.needs_review, r.entry_id AS reviewed_by, l.reviews
FROM engine.compression_state_log AS l LEFT JOIN engine.compression_state_log AS r ON r.reviews = l.entry_id
WHERE (%(before)s::bigint IS NULL OR l.entry_id < %(before)s)
  AND (%(node_id)s::uuid IS NULL OR l.node_id = %(node_id)s) AND (%(file_id)s::uuid IS NULL OR l.file_id = %(file_id)s)
  AND (NOT %(to_review)s OR (l.needs_review AND r.entry_id IS NULL))
ORDER BY l.entry_id DESC LIMIT %(limit)s

-- name: state_log_review
-- Purpose: the user has looked at an entry that needed it. Parameters: entry_id, note, now. Returns: entry_id; raises NG404.
SELECT engine.review_file_state(%(entry_id)s, %(note)s, %(now)s) AS entry_id

-- name: states_applied
-- Purpose: the graph shows these states. Service only. Parameters: nodes, seqs (arrays side by side). Returns: nothing.
UPDATE engine.node_states AS s SET told_seq = greatest(s.told_seq, applied.seq)
FROM unnest(%(nodes)s::uuid[], %(seqs)s::bigint[]) AS applied (node_id, seq)
WHERE s.node_id = applied.node_id

-- name: states_unapplied
-- Purpose: nodes whose derived state the graph does not show yet. Service only. Parameters: nodes (null for all), limit.
-- Returns: node_id, state, seq, changed_at.
SELECT node_id, state, seq, changed_at FROM engine.node_states
WHERE told_seq < seq AND (%(nodes)s::uuid[] IS NULL OR node_id = ANY (%(nodes)s))
LIMIT %(limit)s

-- name: touched
-- Purpose: access times and counts of what retrievals returned of one node. A node without its tables is left out.
-- Parameters: node uuid; items uuid[] with counts integer[] in the same order; records uuid[]; at timestamptz. Runs as the service.
SELECT engine.touch(%(node)s, %(items)s::uuid[], %(counts)s::integer[], %(records)s::uuid[], %(at)s)

-- name: upgrade
-- Purpose: brings nodes to the newest version of their tables, one page. Service only. Parameters: after (node id), most.
-- Returns: node_id, failure (null where it was upgraded, empty where another process uses it).
SELECT node_id, failure FROM engine.upgrade_nodes(%(after)s, %(most)s::integer)

-- name: older
-- Purpose: how many nodes have tables of an older version. Service only. Parameters: none. Returns: nodes.
SELECT count(*) AS nodes FROM engine.nodes WHERE template_version < engine.template_version()
