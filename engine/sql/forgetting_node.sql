-- name: nodes
-- Purpose: a node of a user with all that lie below it, the lowest first; not the root. Service only. Parameters: user_id, node_id. Returns: node_id, schema_name, name, persona.
SELECT n.node_id, n.schema_name, n.name, n.node_type = 'persona' AS persona FROM engine.nodes AS n
WHERE n.user_id = %(user_id)s AND %(node_id)s = ANY (n.lineage) AND n.layer > 0 ORDER BY n.layer DESC, n.node_id LIMIT 100000

-- name: closed
-- Purpose: lets nodes take no records and no children any more: they are archived. Service only. Parameters: nodes. Returns: nothing.
UPDATE engine.nodes AS n SET archived = true, archivings = CASE WHEN cardinality(n.archivings) %% 2 = 1 THEN n.archivings ELSE n.archivings || clock_timestamp() END
WHERE n.node_id = ANY (%(nodes)s::uuid[]) AND NOT (n.archived AND cardinality(n.archivings) %% 2 = 1)

-- name: records
-- Purpose: the records of a node. Service only. Identifier: schema. Parameters: none. Returns: record_id, source_id.
SELECT r.record_id, r.source_id FROM {schema}.metadata_records AS r WHERE r.version_of IS NULL

-- name: named
-- Purpose: texts of a node's own log, by whose words it is found again. Service only. Identifier: schema. Parameters: node_id. Returns: text.
SELECT l.payload::text AS text FROM {schema}.delta_log AS l WHERE l.subject_id = %(node_id)s OR l.subject_kind = 'edge' ORDER BY l.created_at DESC LIMIT 1000

-- name: conversations
-- Purpose: streamed conversations whose turns go to these nodes. Service only. Parameters: user_id, nodes. Returns: source_id.
SELECT c.source_id FROM engine.conversations AS c WHERE c.user_id = %(user_id)s AND c.node_id = ANY (%(nodes)s::uuid[])

-- name: keys
-- Purpose: the keys under which sources are kept, also those of personas, of sources as records name them. Service only. Parameters: user_id, sources. Returns: source_id.
SELECT s.source_id FROM engine.sources AS s
WHERE s.user_id = %(user_id)s AND regexp_replace(s.source_id, '^persona:[0-9a-f-]+:', '') = ANY (%(sources)s::text[])

-- name: elsewhere
-- Purpose: whether a persona among these nodes stored a source that is not among these keys. Service only. Parameters: user_id, nodes, sources. Returns: elsewhere.
SELECT EXISTS (
    SELECT FROM engine.sources AS s JOIN unnest(%(nodes)s::uuid[]) AS n (node_id) ON starts_with(s.source_id, 'persona:' || n.node_id || ':')
    WHERE s.user_id = %(user_id)s AND s.source_id <> ALL (%(sources)s::text[])) AS elsewhere

-- name: beside
-- Purpose: other nodes of the user whose logs may name one of these: where records went that lay here, which lay below, or to which edges led. Service only. Parameters: user_id,
-- nodes, ends (of edges), personas (whether one of them is a persona, which may have written anywhere). Returns: schema_name.
SELECT n.schema_name FROM engine.nodes AS n
WHERE n.user_id = %(user_id)s AND n.node_id <> ALL (%(nodes)s::uuid[])
  AND (%(personas)s OR n.node_id = ANY (%(ends)s::uuid[])
       OR n.node_id IN (SELECT s.node_id FROM engine.node_slices AS s WHERE s.parent_id = ANY (%(nodes)s::uuid[]))
       OR n.node_id IN (SELECT o.node_id FROM engine.assignments AS a JOIN engine.assignments AS o ON o.record_id = a.record_id
                        WHERE a.node_id = ANY (%(nodes)s::uuid[]) OR a.moved_from = ANY (%(nodes)s::uuid[])))
ORDER BY n.schema_name LIMIT 100000

-- name: delta_log
-- Purpose: takes from the log of another node what names one of these: moves from here, edges to here, who wrote it. Needs a permit. Service only. Identifier: schema. Parameters:
-- forgetting_id, ids (of nodes and edges), edges, authors (personas). Returns: nothing; the count is the driver's.
UPDATE {schema}.delta_log AS l
SET payload = CASE WHEN engine.ids_in(l.payload::text) && %(ids)s::uuid[] OR l.subject_id = ANY (%(edges)s::uuid[])
                   THEN coalesce(engine.emptied(f, 'delta_log', 'payload', l.payload), l.payload) ELSE l.payload END,
    subject_id = CASE WHEN l.subject_id = ANY (%(edges)s::uuid[]) THEN engine.surrogate(l.subject_id) ELSE l.subject_id END,
    authored_by = CASE WHEN l.authored_by = ANY (%(authors)s::text[]) THEN engine.surrogate_name(l.authored_by) ELSE l.authored_by END
FROM engine.forgettings AS f
WHERE f.forgetting_id = %(forgetting_id)s
  AND (engine.ids_in(l.payload::text) && %(ids)s::uuid[] AND l.payload ->> 'operation' <> 'forgotten' OR l.subject_id = ANY (%(edges)s::uuid[])
       OR l.authored_by = ANY (%(authors)s::text[]))

-- name: access_log
-- Purpose: deletes lines of the access log about these nodes and about tokens of personas. Needs a permit. Service only. Parameters: user_id, nodes. Returns: nothing; the count is the driver's.
DELETE FROM engine.access_log AS l
WHERE l.node_id = ANY (%(nodes)s::uuid[]) OR l.user_id = %(user_id)s AND l.subject_id = ANY (%(nodes)s::uuid[]) AND l.event IN ('token_created', 'token_revoked')

-- name: access_log_named
-- Purpose: puts surrogates in the place of these nodes where they acted, or were given a right, elsewhere. Needs a permit. Service only. Parameters: user_id, nodes. Returns:
-- nothing; the count is the driver's.
UPDATE engine.access_log AS l
SET actor_id = CASE WHEN l.actor_id = ANY (%(nodes)s::uuid[]) THEN engine.surrogate(l.actor_id) ELSE l.actor_id END,
    subject_id = CASE WHEN l.subject_id = ANY (%(nodes)s::uuid[]) THEN engine.surrogate(l.subject_id) ELSE l.subject_id END
WHERE l.user_id = %(user_id)s AND (l.actor_id = ANY (%(nodes)s::uuid[]) OR l.subject_id = ANY (%(nodes)s::uuid[]))

-- name: assignments
-- Purpose: deletes the decisions that records belong to these nodes, of records that lie elsewhere now. Needs a permit. Service only. Parameters: user_id, nodes. Returns: nothing;
-- the count is the driver's.
DELETE FROM engine.assignments AS a WHERE a.user_id = %(user_id)s AND a.node_id = ANY (%(nodes)s::uuid[])

-- name: assignments_moved
-- Purpose: takes away that a record which lies elsewhere lay at one of these nodes, and who decided it. Needs a permit. Service only. Parameters: forgetting_id, user_id, nodes,
-- authors. Returns: nothing; the count is the driver's.
UPDATE engine.assignments AS a
SET moved_from = CASE WHEN a.moved_from = ANY (%(nodes)s::uuid[]) THEN NULL ELSE a.moved_from END,
    author = CASE WHEN a.author = ANY (%(authors)s::text[]) THEN engine.surrogate_name(a.author) ELSE a.author END
WHERE a.user_id = %(user_id)s AND (a.moved_from = ANY (%(nodes)s::uuid[]) OR a.author = ANY (%(authors)s::text[]))

-- name: assignments_next
-- Purpose: takes away that a record would have come to one of these nodes next: the path tells what it is called. Needs a permit. Service only. Parameters: forgetting_id, user_id,
-- nodes. Returns: nothing; the count is the driver's.
UPDATE engine.assignments AS a SET reasons = engine.emptied(f, 'assignments', 'reasons', a.reasons)
FROM engine.forgettings AS f
WHERE f.forgetting_id = %(forgetting_id)s AND a.user_id = %(user_id)s AND string_to_array(a.reasons ->> 'runner_up', '/') && ARRAY(
    SELECT n.name FROM engine.nodes AS n WHERE n.node_id = ANY (%(nodes)s::uuid[])
    UNION SELECT s.name FROM engine.node_slices AS s WHERE s.node_id = ANY (%(nodes)s::uuid[]))

-- name: commit_log
-- Purpose: puts surrogates in the place of personas that decided about commits. Needs a permit. Service only. Parameters: user_id, authors. Returns: nothing; the count is the driver's.
UPDATE engine.commit_log AS l SET actor = engine.surrogate_name(l.actor) WHERE l.user_id = %(user_id)s AND l.actor = ANY (%(authors)s::text[])

-- name: compression_state_log
-- Purpose: takes from the log of files what it says of these nodes and of personas. Needs a permit. Service only. Parameters: forgetting_id, user_id, nodes. Returns: nothing; the count
-- is the driver's.
UPDATE engine.compression_state_log AS l
SET node_id = CASE WHEN l.node_id = ANY (%(nodes)s::uuid[]) THEN engine.surrogate(l.node_id) ELSE l.node_id END,
    file_id = CASE WHEN l.node_id = ANY (%(nodes)s::uuid[]) THEN engine.surrogate(l.file_id) ELSE l.file_id END,
    detail = CASE WHEN l.node_id = ANY (%(nodes)s::uuid[]) THEN coalesce(engine.emptied(f, 'compression_state_log', 'detail', to_jsonb(l.detail)) #>> ARRAY[]::text[], l.detail)
                  ELSE l.detail END,
    actor_id = CASE WHEN l.actor_id = ANY (%(nodes)s::uuid[]) THEN engine.surrogate(l.actor_id) ELSE l.actor_id END
FROM engine.forgettings AS f
WHERE f.forgetting_id = %(forgetting_id)s AND l.user_id = %(user_id)s AND (l.node_id = ANY (%(nodes)s::uuid[]) OR l.actor_id = ANY (%(nodes)s::uuid[]))

-- name: document_versions
-- Purpose: puts surrogates in the place of personas that stored versions of documents. Needs a permit. Service only. Parameters: user_id, authors. Returns: nothing; the count is the
-- driver's.
UPDATE engine.document_versions AS v SET authored_by = engine.surrogate_name(v.authored_by) WHERE v.user_id = %(user_id)s AND v.authored_by = ANY (%(authors)s::text[])

-- name: event_log
-- Purpose: deletes events at these nodes. Needs a permit. Service only. Parameters: user_id, nodes. Returns: nothing; the count is the driver's.
DELETE FROM engine.event_log AS e WHERE e.user_id = %(user_id)s AND e.node_id = ANY (%(nodes)s::uuid[])

-- name: event_log_named
-- Purpose: puts surrogates in the place of personas that wrote events elsewhere. Needs a permit. Service only. Parameters: user_id, authors. Returns: nothing; the count is the driver's.
UPDATE engine.event_log AS e SET authored_by = engine.surrogate_name(e.authored_by) WHERE e.user_id = %(user_id)s AND e.authored_by = ANY (%(authors)s::text[])

-- name: failure_log
-- Purpose: deletes failures that name one of these nodes. Needs a permit. Service only. Parameters: user_id, known (ids as keys of an object). Returns: nothing; the count is the driver's.
DELETE FROM engine.failure_log AS l WHERE l.user_id = %(user_id)s AND engine.names_one(concat_ws(' ', l.subject, l.reference, l.detail, l.note), %(known)s)

-- name: grants
-- Purpose: deletes grants on these nodes, and those that they had. Needs a permit. Service only. Parameters: user_id, nodes. Returns: nothing; the count is the driver's.
DELETE FROM engine.grants AS g WHERE g.user_id = %(user_id)s AND (g.node_id = ANY (%(nodes)s::uuid[]) OR g.subject_id = ANY (%(nodes)s::uuid[]))

-- name: raw_resources
-- Purpose: says of inputs whose records lie elsewhere now that they were stored there, and puts surrogates in the place of personas that stored them. Needs a permit. Service only.
-- Parameters: user_id, nodes, authors. Returns: nothing; the count is the driver's.
WITH taken AS (
    DELETE FROM engine.raw_resources AS r WHERE r.user_id = %(user_id)s AND (r.node_id = ANY (%(nodes)s::uuid[]) OR r.authored_by = ANY (%(authors)s::text[])) RETURNING r.*
)
INSERT INTO engine.raw_resources (resource_id, user_id, workspace_id, content_type, source_id, record_id, node_id, object_key, file_name, media_type, packed,
                                  content_hash, size_bytes, authored_by, received_at, commit_id, layout)
SELECT t.resource_id, t.user_id, t.workspace_id, t.content_type, t.source_id, t.record_id,
       CASE WHEN t.node_id <> ALL (%(nodes)s::uuid[]) THEN t.node_id
            ELSE coalesce((SELECT a.node_id FROM engine.assignments AS a WHERE a.record_id = t.record_id AND a.node_id <> ALL (%(nodes)s::uuid[]) ORDER BY a.entry_id DESC LIMIT 1),
                          t.user_id) END,
       t.object_key, t.file_name, t.media_type, t.packed, t.content_hash, t.size_bytes,
       CASE WHEN t.authored_by = ANY (%(authors)s::text[]) THEN engine.surrogate_name(t.authored_by) ELSE t.authored_by END, t.received_at, t.commit_id, t.layout
FROM taken AS t

-- name: retraction_steps
-- Purpose: lets the root take the place of these nodes in the steps of withdrawals. Service only. Parameters: user_id, nodes. Returns: nothing; the count is the driver's.
UPDATE engine.retraction_steps AS s SET node_id = %(user_id)s WHERE s.node_id = ANY (%(nodes)s::uuid[])

-- name: replays
-- Purpose: lets replays that are at one of these nodes begin anew. Service only. Parameters: user_id, nodes. Returns: nothing; the count is the driver's.
UPDATE engine.replays AS r SET after_node = '00000000-0000-0000-0000-000000000000', after_record = '00000000-0000-0000-0000-000000000000'
WHERE r.user_id = %(user_id)s AND r.after_node = ANY (%(nodes)s::uuid[])

-- name: replayed_records
-- Purpose: deletes what replays made of records at these nodes. Service only. Parameters: user_id, nodes. Returns: nothing; the count is the driver's.
DELETE FROM engine.replayed_records AS s USING engine.replays AS r WHERE r.user_id = %(user_id)s AND s.replay_id = r.replay_id AND s.node_id = ANY (%(nodes)s::uuid[])

-- name: node_slices
-- Purpose: deletes earlier names and places of these nodes. Service only. Parameters: user_id, nodes. Returns: nothing; the count is the driver's.
DELETE FROM engine.node_slices AS s WHERE s.user_id = %(user_id)s AND s.node_id = ANY (%(nodes)s::uuid[])

-- name: node_slices_below
-- Purpose: takes away that others lay below these nodes. Service only. Parameters: user_id, nodes. Returns: nothing; the count is the driver's.
UPDATE engine.node_slices AS s SET parent_id = NULL WHERE s.user_id = %(user_id)s AND s.parent_id = ANY (%(nodes)s::uuid[])

-- name: conversation_turns
-- Purpose: deletes the turns of streamed conversations whose turns go to these nodes. Service only. Parameters: user_id, nodes. Returns: nothing; the count is the driver's.
DELETE FROM engine.conversation_turns AS t USING engine.conversations AS c
WHERE t.user_id = %(user_id)s AND c.user_id = t.user_id AND c.source_id = t.source_id AND (c.node_id = ANY (%(nodes)s::uuid[]) OR c.principal_id = ANY (%(nodes)s::uuid[]))

-- name: streams
-- Purpose: deletes streamed conversations whose turns go to these nodes. Service only. Parameters: user_id, nodes. Returns: nothing; the count is the driver's.
DELETE FROM engine.conversations AS c WHERE c.user_id = %(user_id)s AND (c.node_id = ANY (%(nodes)s::uuid[]) OR c.principal_id = ANY (%(nodes)s::uuid[]))

-- name: ingest_sessions
-- Purpose: puts surrogates in the place of personas whose ingests those are, and takes their keys and failures away. Service only. Parameters: user_id, nodes. Returns: nothing; the
-- count is the driver's.
UPDATE engine.ingest_sessions AS s SET actor_id = engine.surrogate(s.actor_id), key = NULL, failure = NULL
WHERE s.user_id = %(user_id)s AND s.actor_id = ANY (%(nodes)s::uuid[])

-- name: commits
-- Purpose: takes all that names one of these nodes or edges out of what the outbox keeps of finished commits; a row of which nothing is left is deleted. Service only. Parameters:
-- user_id, ids, known (these as keys of an object). Returns: nothing; the count is the driver's.
WITH rest AS (
    SELECT o.commit_id, jsonb_agg(k.change ORDER BY c.place) FILTER (WHERE k.change IS NOT NULL) AS changes
    FROM engine.outbox AS o CROSS JOIN LATERAL engine.graph_changes(o.kind, o.payload) AS c
    CROSS JOIN LATERAL (SELECT engine.change_without(c.change, %(known)s) AS change) AS k
    WHERE o.user_id = %(user_id)s AND o.state IN ('done', 'discarded') AND engine.ids_in(o.payload::text) && %(ids)s::uuid[]
    GROUP BY 1
), deleted AS (
    DELETE FROM engine.outbox AS o USING rest AS r WHERE o.commit_id = r.commit_id AND r.changes IS NULL
)
UPDATE engine.outbox AS o SET kind = r.changes -> 0 ->> 'kind', payload = jsonb_build_object('changes', r.changes), last_failure = NULL
FROM rest AS r WHERE o.commit_id = r.commit_id AND r.changes IS NOT NULL

-- name: of_node
-- Purpose: deletes what a table says of these nodes. Service only. Identifier: table. Parameters: nodes. Returns: nothing; the count is the driver's.
DELETE FROM engine.{table} AS d WHERE d.node_id = ANY (%(nodes)s::uuid[])

-- name: tokens
-- Purpose: deletes the tokens of personas. Service only. Parameters: nodes. Returns: nothing; the count is the driver's.
DELETE FROM engine.tokens AS t WHERE t.principal_id = ANY (%(nodes)s::uuid[])

-- name: records_left
-- Purpose: whether a node still has records. Service only. Identifier: schema. Parameters: none. Returns: left.
SELECT EXISTS (SELECT FROM {schema}.metadata_records) AS left

-- name: schema
-- Purpose: deletes the tables of a node. Service only. Identifier: schema. Parameters: none. Returns: nothing.
DROP SCHEMA IF EXISTS {schema} CASCADE

-- name: node
-- Purpose: deletes the row of a node whose tables are deleted; the count is the driver's. Service only. Parameters: node_id. Returns: nothing.
DELETE FROM engine.nodes AS n WHERE n.node_id = %(node_id)s

-- name: tables
-- Purpose: whether a node has its tables. Service only. Parameters: node_id. Returns: schema_name, or no row.
SELECT n.schema_name FROM engine.nodes AS n WHERE n.node_id = %(node_id)s AND to_regclass(format('%%I.metadata_records', n.schema_name)) IS NOT NULL
