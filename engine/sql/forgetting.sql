-- name: accepted_damage
-- Purpose: deletes what an operator accepted as lost of records, items, files and sources. Needs a permit. Parameters: nodes, ids, names (of sources). Returns: nothing; the
-- count is the driver's.
DELETE FROM engine.accepted_damage AS a
WHERE a.node_id = ANY (%(nodes)s::uuid[]) AND (a.subject = ANY (%(ids)s::uuid[]::text[]) OR a.subject = ANY (%(names)s::text[]))

-- name: assignments
-- Purpose: deletes the decisions where records belong. Needs a permit. Parameters: user_id, records. Returns: nothing; the count is the driver's.
DELETE FROM engine.assignments AS a WHERE a.record_id = ANY (%(records)s::uuid[]) AND a.user_id = %(user_id)s

-- name: awake_files
-- Purpose: deletes the states of files that are awake. Parameters: user_id, nodes, files. Returns: nothing; the count is the driver's.
DELETE FROM engine.awake_files AS a
WHERE a.node_id = ANY (%(nodes)s::uuid[]) AND a.file_id = ANY (%(files)s::uuid[]) AND a.user_id = %(user_id)s

-- name: commit_log
-- Purpose: takes from the log of commits what it says of these commits, and their ids. Needs a permit. Parameters: forgetting_id, user_id, commits. Returns: nothing;
-- the count is the driver's.
UPDATE engine.commit_log AS l
SET detail = engine.emptied(f, 'commit_log', 'detail', to_jsonb(l.detail)) #>> ARRAY[]::text[], commit_id = engine.surrogate(l.commit_id)
FROM engine.forgettings AS f
WHERE f.forgetting_id = %(forgetting_id)s AND l.commit_id = ANY (%(commits)s::uuid[]) AND l.user_id = %(user_id)s

-- name: commits
-- Purpose: takes these records out of what the outbox keeps of finished commits, and all that names one of these ids; a row of which nothing is left is deleted. Only
-- rows of these commits, and those of changes and decisions, are looked at. Parameters: user_id, commits, ids, known (these as keys of an object). Returns: commit_id.
WITH looked AS (
    SELECT o.commit_id, o.kind, o.payload FROM engine.outbox AS o
    WHERE o.user_id = %(user_id)s AND o.state IN ('done', 'discarded') AND o.commit_id IN (
        SELECT unnest(%(commits)s::uuid[])
        UNION SELECT n.commit_id FROM engine.outbox AS n
        WHERE n.kinds && ARRAY['record_revised', 'record_retracted', 'record_reworded', 'entities_merged', 'merge_undone', 'told_apart', 'relation_decided',
                               'entity_corrected', 'alias_decided', 'intention_decided'] AND engine.ids_in(n.payload::text) && %(ids)s::uuid[])
), rest AS (
    SELECT l.commit_id, l.kind, count(*) AS before, count(k.change) AS after, bool_or(k.change IS DISTINCT FROM c.change) AS changed,
           jsonb_agg(k.change ORDER BY c.place) FILTER (WHERE k.change IS NOT NULL) AS changes
    FROM looked AS l CROSS JOIN LATERAL engine.graph_changes(l.kind, l.payload) AS c
    CROSS JOIN LATERAL (SELECT engine.change_without(c.change, %(known)s) AS change) AS k
    GROUP BY 1, 2
), deleted AS (
    DELETE FROM engine.outbox AS o USING rest AS r WHERE o.commit_id = r.commit_id AND r.changes IS NULL RETURNING o.commit_id
), shortened AS (
    UPDATE engine.outbox AS o SET kind = r.changes -> 0 ->> 'kind', payload = jsonb_build_object('changes', r.changes), last_failure = NULL
    FROM rest AS r WHERE o.commit_id = r.commit_id AND r.changes IS NOT NULL AND r.changed RETURNING o.commit_id
)
SELECT commit_id FROM deleted UNION ALL SELECT commit_id FROM shortened

-- name: commits_read
-- Purpose: takes from finished commits of a user what was read in texts: mentions, relations, facts. Each of them names entities by keys that other records may have made.
-- The texts and the tables of facts have it all; a job would take it after a while. A row of which nothing is left is deleted. One page. Parameters: user_id, most.
-- Returns: commit_id.
WITH old AS (
    SELECT o.commit_id, o.kind, o.payload FROM engine.outbox AS o
    WHERE o.user_id = %(user_id)s AND o.state IN ('done', 'discarded') AND o.kinds && ARRAY['mentions', 'relations', 'facts']
    ORDER BY o.created_at LIMIT %(most)s
), rest AS (
    SELECT l.commit_id, (SELECT jsonb_agg(c.change ORDER BY c.place) FROM engine.graph_changes(l.kind, l.payload) AS c
                         WHERE c.kind NOT IN ('mentions', 'relations', 'facts')) AS changes
    FROM old AS l
), deleted AS (
    DELETE FROM engine.outbox AS o USING rest AS r WHERE o.commit_id = r.commit_id AND r.changes IS NULL RETURNING o.commit_id
), shortened AS (
    UPDATE engine.outbox AS o SET kind = r.changes -> 0 ->> 'kind', payload = jsonb_build_object('changes', r.changes)
    FROM rest AS r WHERE o.commit_id = r.commit_id AND r.changes IS NOT NULL RETURNING o.commit_id
)
SELECT commit_id FROM deleted UNION ALL SELECT commit_id FROM shortened

-- name: commits_unfinished
-- Purpose: commits of a user that the graph lacks, pending or set aside. Parameters: user_id. Returns: commit_id; at most 100.
SELECT o.commit_id FROM engine.outbox AS o WHERE o.user_id = %(user_id)s AND o.state IN ('pending', 'set_aside') ORDER BY o.created_at LIMIT 100

-- name: compression_state_log
-- Purpose: takes from the log of files what it says of these files, and their ids. Needs a permit. Parameters: forgetting_id, user_id, nodes, files. Returns: nothing;
-- the count is the driver's.
UPDATE engine.compression_state_log AS l
SET detail = engine.emptied(f, 'compression_state_log', 'detail', to_jsonb(l.detail)) #>> ARRAY[]::text[], file_id = engine.surrogate(l.file_id)
FROM engine.forgettings AS f
WHERE f.forgetting_id = %(forgetting_id)s AND l.node_id = ANY (%(nodes)s::uuid[]) AND l.file_id = ANY (%(files)s::uuid[]) AND l.user_id = %(user_id)s

-- name: conversation_turns
-- Purpose: deletes the turns of streamed conversations. Parameters: user_id, sources. Returns: nothing; the count is the driver's.
DELETE FROM engine.conversation_turns AS t WHERE t.user_id = %(user_id)s AND t.source_id = ANY (%(sources)s::text[])

-- name: conversations
-- Purpose: deletes streamed conversations. Parameters: user_id, sources. Returns: nothing; the count is the driver's.
DELETE FROM engine.conversations AS c WHERE c.user_id = %(user_id)s AND c.source_id = ANY (%(sources)s::text[])

-- name: delta_log
-- Purpose: takes from the log of a node what it says of these subjects, and their ids. Needs a permit. Identifier: schema. Parameters: forgetting_id, ids. Returns:
-- nothing; the count is the driver's.
UPDATE {schema}.delta_log AS l
SET payload = coalesce(engine.emptied(f, 'delta_log', 'payload', l.payload), l.payload), subject_id = engine.surrogate(l.subject_id),
    delta_id = engine.surrogate(l.delta_id), previous_delta_id = engine.surrogate(l.previous_delta_id)
FROM engine.forgettings AS f
WHERE f.forgetting_id = %(forgetting_id)s AND l.subject_id = ANY (%(ids)s::uuid[])

-- name: derived_builds
-- Purpose: has the next run derive communities, clusters and insights of a user anew. Parameters: user_id. Returns: nothing; the count is the driver's.
UPDATE engine.derived_builds AS b SET mark = '' WHERE b.user_id = %(user_id)s AND b.mark <> ''

-- name: document_versions
-- Purpose: deletes the versions of documents. Needs a permit. Parameters: user_id, records. Returns: nothing; the count is the driver's.
DELETE FROM engine.document_versions AS v WHERE v.document_id = ANY (%(records)s::uuid[]) AND v.user_id = %(user_id)s

-- name: documents
-- Purpose: deletes documents. Parameters: user_id, records. Returns: nothing; the count is the driver's.
DELETE FROM engine.documents AS d WHERE d.document_id = ANY (%(records)s::uuid[]) AND d.user_id = %(user_id)s

-- name: due
-- Purpose: deletes notes of what records wait for. Parameters: user_id, records. Returns: nothing; the count is the driver's.
DELETE FROM engine.due AS d USING engine.derivations AS m, engine.nodes AS n
WHERE d.derivation = m.name AND d.record_id = ANY (%(records)s::uuid[]) AND n.node_id = d.node_id AND n.user_id = %(user_id)s

-- name: due_again
-- Purpose: notes these nodes for all that is made from their content; the last lock of its transaction. Parameters: nodes. Returns: nothing of use.
SELECT engine.note_needing('content', %(nodes)s::uuid[])

-- name: due_reasons
-- Purpose: takes away why something was not made at these nodes, and how far a node is, where that names a record or an item. Parameters: nodes, ids. Returns: nothing;
-- the count is the driver's.
UPDATE engine.due AS d SET reason = '', after = CASE WHEN d.after = ANY (%(ids)s::uuid[]) THEN '00000000-0000-0000-0000-000000000000' ELSE d.after END
FROM engine.derivations AS m
WHERE d.derivation = m.name AND d.node_id = ANY (%(nodes)s::uuid[]) AND (d.reason <> '' OR d.after = ANY (%(ids)s::uuid[]))

-- name: entity_meanings
-- Purpose: deletes what the texts that mention entities of a user mean: the job `communities` makes it anew, of what holds. Parameters: user_id. Returns: nothing; the
-- count is the driver's.
DELETE FROM engine.entity_meanings AS m WHERE m.user_id = %(user_id)s

-- name: expiries
-- Purpose: deletes when these records expire. Parameters: user_id, records. Returns: nothing; the count is the driver's.
DELETE FROM engine.expiries AS e WHERE e.record_id = ANY (%(records)s::uuid[]) AND e.user_id = %(user_id)s

-- name: fact_attributes
-- Purpose: deletes the attributes of facts. Parameters: facts. Returns: nothing; the count is the driver's.
DELETE FROM engine.fact_attributes AS a WHERE a.fact_id = ANY (%(facts)s::uuid[])

-- name: fact_clusters
-- Purpose: deletes clusters of facts that hold one of these. Parameters: user_id, facts. Returns: nothing; the count is the driver's.
DELETE FROM engine.fact_clusters AS c
WHERE c.user_id = %(user_id)s AND EXISTS (SELECT FROM unnest(c.facts) AS f (fact_id) WHERE f.fact_id = ANY (%(facts)s::uuid[]))

-- name: fact_doubts
-- Purpose: deletes pairs of facts of which one is among these. Parameters: facts. Returns: nothing; the count is the driver's.
DELETE FROM engine.fact_doubts AS d WHERE d.newer = ANY (%(facts)s::uuid[]) OR d.older = ANY (%(facts)s::uuid[])

-- name: facts
-- Purpose: deletes facts; what names them was changed before. Parameters: user_id, facts. Returns: nothing; the count is the driver's.
DELETE FROM engine.facts AS f WHERE f.fact_id = ANY (%(facts)s::uuid[]) AND f.user_id = %(user_id)s

-- name: facts_chained
-- Purpose: gives chains that are called by one of these facts the id of the first fact that stays, once it is known what follows what. Parameters: facts. Returns:
-- nothing; the count is the driver's.
WITH stays AS (
    SELECT f.fact_id, f.chain_id, f.status = 'confirmation' AS confirms, f.status = 'withdrawn' AND n.fact_id IS NULL AS alone, f.supersedes IS NOT NULL AS later, f.known_from
    FROM engine.facts AS f LEFT JOIN engine.facts AS n ON n.supersedes = f.fact_id AND n.fact_id <> ALL (%(facts)s::uuid[])
    WHERE f.chain_id = ANY (%(facts)s::uuid[]) AND f.fact_id <> ALL (%(facts)s::uuid[])
), first AS (
    SELECT DISTINCT ON (s.chain_id) s.chain_id, s.fact_id FROM stays AS s ORDER BY s.chain_id, s.confirms, s.later AND NOT s.alone, s.alone, s.known_from, s.fact_id
)
UPDATE engine.facts AS f SET chain_id = first.fact_id FROM first WHERE f.chain_id = first.chain_id AND f.fact_id <> ALL (%(facts)s::uuid[])

-- name: facts_confirmed
-- Purpose: counts anew what confirms facts that one of these confirmed. Parameters: facts. Returns: nothing; the count is the driver's.
WITH counted AS (
    SELECT f.fact_id, count(o.fact_id) AS confirmations, max(o.said_at) AS last_confirmed_at
    FROM engine.facts AS f LEFT JOIN engine.facts AS o ON o.confirms = f.fact_id AND o.fact_id <> ALL (%(facts)s::uuid[])
    WHERE f.fact_id IN (SELECT g.confirms FROM engine.facts AS g WHERE g.fact_id = ANY (%(facts)s::uuid[])) AND f.fact_id <> ALL (%(facts)s::uuid[])
    GROUP BY 1
)
UPDATE engine.facts AS f SET confirmations = c.confirmations, last_confirmed_at = c.last_confirmed_at
FROM counted AS c WHERE f.fact_id = c.fact_id

-- name: facts_confirming
-- Purpose: withdraws what only confirmed one of these facts, and was not put in its place: it has no words of its own. Parameters: facts. Returns: nothing; the count
-- is the driver's.
UPDATE engine.facts AS f SET status = 'withdrawn', confirms = NULL, invalidated_at = now()
WHERE f.confirms = ANY (%(facts)s::uuid[]) AND f.fact_id <> ALL (%(facts)s::uuid[])

-- name: facts_ended
-- Purpose: lets the next fact of the chain that stands have ended what one of these ended. Where there is none, the fact stays ended, by nothing, and is stale: these
-- were not withdrawn before. Parameters: facts. Returns: nothing; the count is the driver's.
WITH RECURSIVE after AS (
    SELECT f.fact_id, f.ended_by AS at, false AS stands FROM engine.facts AS f WHERE f.ended_by = ANY (%(facts)s::uuid[]) AND f.fact_id <> ALL (%(facts)s::uuid[])
    UNION
    SELECT a.fact_id, n.fact_id, n.fact_id <> ALL (%(facts)s::uuid[]) AND n.fact_id <> a.fact_id AND n.status NOT IN ('withdrawn', 'confirmation')
    FROM after AS a JOIN engine.facts AS n ON n.supersedes = a.at WHERE NOT a.stands
), ended AS (
    SELECT a.fact_id, max(a.at::text) FILTER (WHERE a.stands) AS at FROM after AS a GROUP BY 1
)
UPDATE engine.facts AS f SET ended_by = e.at::uuid, stale = f.stale OR e.at IS NULL AND f.status IN ('superseded', 'invalidated')
FROM ended AS e WHERE f.fact_id = e.fact_id

-- name: facts_followed
-- Purpose: lets what follows one of these facts in its chain follow the one before that stays. Which fact is followed by one alone is looked at when all is done.
-- Parameters: facts. Returns: nothing; the count is the driver's.
WITH RECURSIVE before AS (
    SELECT f.fact_id, f.supersedes AS at FROM engine.facts AS f WHERE f.supersedes = ANY (%(facts)s::uuid[]) AND f.fact_id <> ALL (%(facts)s::uuid[])
    UNION
    SELECT b.fact_id, g.supersedes FROM before AS b JOIN engine.facts AS g ON g.fact_id = b.at WHERE b.at = ANY (%(facts)s::uuid[])
)
UPDATE engine.facts AS f SET supersedes = b.at FROM before AS b WHERE f.fact_id = b.fact_id AND (b.at IS NULL OR b.at <> ALL (%(facts)s::uuid[]))

-- name: facts_order_free
-- Purpose: lets two facts follow one until the transaction ends. Parameters: none. Returns: nothing.
SET CONSTRAINTS engine.facts_never_fork DEFERRED

-- name: failure_log
-- Purpose: deletes failures that name one of these ids or sources. Needs a permit. Parameters: user_id, known (ids), names (of sources). Returns: nothing; the count is the driver's.
DELETE FROM engine.failure_log AS l
WHERE l.user_id = %(user_id)s
  AND (l.subject = ANY (%(names)s::text[]) OR l.reference ->> 'source_id' = ANY (%(names)s::text[])
       OR engine.names_one(concat_ws(' ', l.subject, l.reference, l.detail, l.note), %(known)s))

-- name: file_manifest
-- Purpose: deletes the files of records at a node. Identifier: schema. Parameters: records. Returns: nothing; the count is the driver's.
DELETE FROM {schema}.file_manifest AS f WHERE f.record_id = ANY (%(records)s::uuid[])

-- name: found
-- Purpose: what these records have at a node. Identifier: schema. Parameters: records. Returns: slices (rows of records that are versions), items (rows of versions, too), files,
-- commits; a list of each.
SELECT ARRAY(SELECT r.record_id FROM {schema}.metadata_records AS r WHERE r.version_of = ANY (%(records)s::uuid[])) AS slices,
       ARRAY(SELECT i.item_id FROM {schema}.memory_items AS i WHERE i.record_id = ANY (%(records)s::uuid[])) AS items,
       ARRAY(SELECT f.file_id FROM {schema}.file_manifest AS f WHERE f.record_id = ANY (%(records)s::uuid[])) AS files,
       ARRAY(SELECT r.commit_id FROM {schema}.metadata_records AS r
             WHERE r.record_id = ANY (%(records)s::uuid[]) OR r.version_of = ANY (%(records)s::uuid[])) AS commits

-- name: found_shared
-- Purpose: what these records have in the tables of all nodes, and what the plan of the forgetting names. Parameters: forgetting_id, user_id, records. Returns: facts, files,
-- commits, named (entities, relations, intentions, sessions), sources (keys of these, also of personas); a list of each.
WITH given AS (
    SELECT t.kind, t.thing FROM engine.forgetting_things AS t WHERE t.forgetting_id = %(forgetting_id)s AND t.thing IS NOT NULL
)
SELECT ARRAY(SELECT f.fact_id FROM engine.facts AS f WHERE f.record_id = ANY (%(records)s::uuid[]) AND f.user_id = %(user_id)s) AS facts,
       ARRAY(SELECT r.resource_id FROM engine.raw_resources AS r WHERE r.record_id = ANY (%(records)s::uuid[]) AND r.user_id = %(user_id)s
             UNION SELECT v.file_id FROM engine.document_versions AS v WHERE v.document_id = ANY (%(records)s::uuid[]) AND v.user_id = %(user_id)s) AS files,
       ARRAY(SELECT r.commit_id FROM engine.raw_resources AS r WHERE r.record_id = ANY (%(records)s::uuid[]) AND r.user_id = %(user_id)s
             UNION SELECT v.commit_id FROM engine.document_versions AS v WHERE v.document_id = ANY (%(records)s::uuid[]) AND v.user_id = %(user_id)s) AS commits,
       ARRAY(SELECT g.thing::uuid FROM given AS g
             WHERE g.kind IN ('entity', 'relation', 'intention', 'session') AND pg_input_is_valid(g.thing, 'uuid')) AS named,
       ARRAY(SELECT g.thing FROM given AS g WHERE g.kind = 'source'
             UNION SELECT format('persona:%%s:%%s', n.node_id, CASE WHEN char_length(g.thing) <= 455 THEN g.thing ELSE encode(sha256(convert_to(g.thing, 'UTF8')), 'hex') END)
             FROM given AS g CROSS JOIN engine.nodes AS n WHERE g.kind = 'source' AND n.user_id = %(user_id)s AND n.node_type = 'persona') AS sources

-- name: hold
-- Purpose: lets a step begin: no write of the user goes on beside it, to the end of the transaction. Parameters: user_id. Returns: nothing of use.
SELECT engine.hold_writes_alone(%(user_id)s)

-- name: idempotency
-- Purpose: takes away kept answers of requests that name one of these ids, or whose keys do; the key and the hash of the request become surrogates, and the key is known as
-- forgotten. Parameters: forgetting_id, user_id, ids. Returns: nothing; the count is the driver's.
WITH emptied AS (
    UPDATE engine.idempotency AS i
    SET answer = NULL, forgotten = true, claimed_by = NULL, claimed_until = NULL,
        key = 'forgotten:' || encode(engine.tombstone('key', i.user_id, i.key), 'hex'),
        request_hash = engine.tombstone('request', i.user_id, encode(i.request_hash, 'hex'))
    WHERE i.user_id = %(user_id)s AND NOT i.forgotten AND engine.ids_in(i.key || ' ' || coalesce(i.answer::text, '')) && %(ids)s::uuid[]
    RETURNING i.user_id, i.key
)
INSERT INTO engine.forgotten (hash, kind, user_hash, forgetting_id)
SELECT decode(substr(e.key, 11), 'hex'), 'key', f.user_hash, f.forgetting_id FROM emptied AS e JOIN engine.forgettings AS f ON f.forgetting_id = %(forgetting_id)s
ON CONFLICT (hash) DO NOTHING

-- name: ingest_sessions
-- Purpose: deletes ingests that ended and brought nothing but what is deleted; those that the failure log names stay, without why they failed. Parameters: user_id,
-- sessions. Returns: nothing; the count is the driver's.
DELETE FROM engine.ingest_sessions AS s
WHERE s.session_id = ANY (%(sessions)s::uuid[]) AND s.user_id = %(user_id)s AND s.state <> 'running'
  AND NOT EXISTS (SELECT FROM engine.ingest_sources AS o WHERE o.session_id = s.session_id)
  AND NOT EXISTS (SELECT FROM engine.failure_log AS l WHERE l.session_id = s.session_id)

-- name: ingest_sessions_failed
-- Purpose: takes away why these ingests failed. Parameters: user_id, sessions. Returns: nothing; the count is the driver's.
UPDATE engine.ingest_sessions AS s SET failure = NULL WHERE s.session_id = ANY (%(sessions)s::uuid[]) AND s.user_id = %(user_id)s AND s.failure IS NOT NULL

-- name: ingest_sources
-- Purpose: deletes lines of ingests about these records and sources. A line has the id of a source as its caller gave it. Needs a permit. Parameters: user_id, records,
-- ids, names (of sources). Returns: session_id.
DELETE FROM engine.ingest_sources AS s
WHERE s.user_id = %(user_id)s AND s.entry_id IN (
    SELECT o.entry_id FROM engine.ingest_sources AS o WHERE o.records && %(records)s::uuid[] OR o.superseded && %(ids)s::uuid[]
    UNION SELECT o.entry_id FROM engine.ingest_sources AS o WHERE o.user_id = %(user_id)s AND o.source_id = ANY (%(names)s::text[]))
RETURNING s.session_id

-- name: insights
-- Purpose: deletes insights of a user that rest on one of these, also those that ended. Parameters: user_id, ids. Returns: nothing; the count is the driver's.
DELETE FROM engine.insights AS i
WHERE i.user_id = %(user_id)s AND EXISTS (SELECT FROM unnest(i.facts || i.relations || i.entities || i.records) AS n (id) WHERE n.id = ANY (%(ids)s::uuid[]))

-- name: job_runs
-- Purpose: takes away reports of jobs that name one of these ids, and why such runs failed. Parameters: ids. Returns: nothing; the count is the driver's.
UPDATE engine.job_runs AS r SET report = NULL, failure = CASE WHEN r.failure IS NOT NULL THEN 'forgotten' END
WHERE engine.ids_in(coalesce(r.report::text, '') || ' ' || coalesce(r.failure, '')) && %(ids)s::uuid[]

-- name: known_entities
-- Purpose: deletes the copy of a user's entities that SQL reads: the job `communities` makes it anew. Parameters: user_id. Returns: nothing; the count is the driver's.
DELETE FROM engine.known_entities AS e WHERE e.user_id = %(user_id)s

-- name: known_relations
-- Purpose: deletes the copy of a user's relations that SQL reads: the job `communities` makes it anew. Parameters: user_id. Returns: nothing; the count is the driver's.
DELETE FROM engine.known_relations AS r WHERE r.user_id = %(user_id)s

-- name: memory_items
-- Purpose: deletes items of a node, with their versions. Identifier: schema. Parameters: items. Returns: nothing; the count is the driver's.
DELETE FROM {schema}.memory_items AS i WHERE i.item_id = ANY (%(items)s::uuid[])

-- name: metadata_records
-- Purpose: deletes records of a node, with their versions. Identifier: schema. Parameters: rows. Returns: nothing; the count is the driver's.
DELETE FROM {schema}.metadata_records AS r WHERE r.record_id = ANY (%(rows)s::uuid[])

-- name: model_answers
-- Purpose: deletes kept answers of language models that were asked for these records or sources, and all of the user of which nothing such is known. Parameters: user_id,
-- records, sources. Returns: nothing; the count is the driver's.
DELETE FROM engine.model_answers AS a
WHERE a.user_id = %(user_id)s
  AND (a.records && %(records)s::uuid[]
       OR a.records = '{{}}' AND (a.source IS NULL OR a.source IN (SELECT engine.tombstone('source', %(user_id)s, s.id) FROM unnest(%(sources)s::text[]) AS s (id))))

-- name: node_centroids
-- Purpose: deletes the mean vectors of these nodes: a job makes them anew. Parameters: nodes. Returns: nothing; the count is the driver's.
DELETE FROM engine.node_centroids AS c WHERE c.node_id = ANY (%(nodes)s::uuid[])

-- name: objects
-- Purpose: notes the objects of these records at a node for deletion, with the copies of files that are awake; not of files that other records have, too. Identifier: schema.
-- Parameters: forgetting_id, node_id, records, shared (files). Returns: nothing; the count is the driver's.
INSERT INTO engine.forgetting_objects (forgetting_id, object_key, sha256)
SELECT DISTINCT ON (o.key) %(forgetting_id)s, o.key, o.sha256 FROM (
    SELECT f.storage_path AS key, f.sha256, f.storage_path AS file FROM {schema}.file_manifest AS f WHERE f.record_id = ANY (%(records)s::uuid[])
    UNION ALL
    SELECT regexp_replace(f.storage_path, '[^/]+$', '') || 'warm/' || a.claim_id, f.sha256, f.storage_path
    FROM {schema}.file_manifest AS f JOIN engine.awake_files AS a ON a.node_id = %(node_id)s AND a.file_id = f.file_id WHERE f.record_id = ANY (%(records)s::uuid[])
    UNION ALL
    SELECT r.file_pointer, NULL, r.file_pointer FROM {schema}.metadata_records AS r
    WHERE r.file_pointer IS NOT NULL AND (r.record_id = ANY (%(records)s::uuid[]) OR r.version_of = ANY (%(records)s::uuid[]))) AS o
WHERE substring(o.file FROM '([^/]+)/[^/]+$') <> ALL (%(shared)s::uuid[]::text[])
ORDER BY o.key, o.sha256 NULLS LAST
ON CONFLICT (forgetting_id, object_key) DO UPDATE SET gone = false, sha256 = coalesce(forgetting_objects.sha256, excluded.sha256)

-- name: objects_of_inputs
-- Purpose: notes the objects of the inputs of records for deletion; not of files that other records have, too. Parameters: forgetting_id, user_id, records, shared (files).
-- Returns: nothing; the count is the driver's.
INSERT INTO engine.forgetting_objects (forgetting_id, object_key, sha256)
SELECT DISTINCT ON (r.object_key) %(forgetting_id)s, r.object_key, r.content_hash FROM engine.raw_resources AS r
WHERE r.record_id = ANY (%(records)s::uuid[]) AND r.user_id = %(user_id)s AND r.resource_id <> ALL (%(shared)s::uuid[]) ORDER BY r.object_key
ON CONFLICT (forgetting_id, object_key) DO UPDATE SET gone = false, sha256 = coalesce(forgetting_objects.sha256, excluded.sha256)

-- name: permit
-- Purpose: gives this transaction a permit to take away what the forgetting names. Parameters: forgetting_id. Returns: nothing of use.
SELECT neurigraph_erasure.permit(%(forgetting_id)s, 'rows')

-- name: places
-- Purpose: nodes of a user at which these records lie, or lay before they were moved. Parameters: user_id, records, nodes (where they are thought to lie). Returns: node_id,
-- schema_name; in the order of schemas.
SELECT n.node_id, n.schema_name FROM engine.nodes AS n
WHERE n.user_id = %(user_id)s AND n.node_id IN (
    SELECT unnest(%(nodes)s::uuid[])
    UNION SELECT p.id FROM engine.assignments AS a, LATERAL (VALUES (a.node_id), (a.moved_from)) AS p (id) WHERE a.record_id = ANY (%(records)s::uuid[]))
ORDER BY n.schema_name LIMIT 10000

-- name: raw_resources
-- Purpose: deletes the inputs of records. Needs a permit. Parameters: user_id, records. Returns: nothing; the count is the driver's.
DELETE FROM engine.raw_resources AS r WHERE r.record_id = ANY (%(records)s::uuid[]) AND r.user_id = %(user_id)s

-- name: raw_resources_shared
-- Purpose: gives the inputs of documents of which other records stay to one of these. Needs a permit. Parameters: user_id, records. Returns: nothing; the count is the
-- driver's.
WITH others AS (
    SELECT DISTINCT ON (v.file_id) v.file_id, v.document_id, d.node_id
    FROM engine.raw_resources AS r JOIN engine.document_versions AS v ON v.file_id = r.resource_id JOIN engine.documents AS d ON d.document_id = v.document_id
    WHERE r.record_id = ANY (%(records)s::uuid[]) AND r.user_id = %(user_id)s AND v.user_id = %(user_id)s AND v.document_id <> ALL (%(records)s::uuid[])
    ORDER BY v.file_id, v.document_id
), taken AS (
    DELETE FROM engine.raw_resources AS r USING others AS o WHERE r.resource_id = o.file_id RETURNING r.*
)
INSERT INTO engine.raw_resources (resource_id, user_id, workspace_id, content_type, source_id, record_id, node_id, object_key, file_name, media_type, packed,
                                  content_hash, size_bytes, authored_by, received_at, commit_id, layout)
SELECT t.resource_id, t.user_id, t.workspace_id, t.content_type, t.source_id, o.document_id, o.node_id, t.object_key, t.file_name, t.media_type, t.packed,
       t.content_hash, t.size_bytes, t.authored_by, t.received_at, t.commit_id, t.layout
FROM taken AS t JOIN others AS o ON o.file_id = t.resource_id

-- name: replayed_records
-- Purpose: deletes what replays made of records. Parameters: user_id, records. Returns: nothing; the count is the driver's.
DELETE FROM engine.replayed_records AS s USING engine.replays AS r
WHERE r.user_id = %(user_id)s AND s.replay_id = r.replay_id AND s.record_id = ANY (%(records)s::uuid[])

-- name: replays
-- Purpose: lets replays that are at one of these records begin with its node again. Parameters: user_id, records. Returns: nothing; the count is the driver's.
UPDATE engine.replays AS r SET after_record = '00000000-0000-0000-0000-000000000000' WHERE r.user_id = %(user_id)s AND r.after_record = ANY (%(records)s::uuid[])

-- name: retention_rules
-- Purpose: deletes the rules that name one of these sources by its id. Parameters: user_id, sources. Returns: nothing; the count is the driver's.
DELETE FROM engine.retention_rules AS r
WHERE r.user_id = %(user_id)s AND EXISTS (SELECT FROM unnest(%(sources)s::text[]) AS s (source_id) WHERE r.source IN (s.source_id, engine.given_source(s.source_id)))

-- name: retracted_facts
-- Purpose: deletes what withdrawals kept of these facts, and of others that named one of these ids. Needs a permit. Parameters: user_id, facts, ids. Returns: nothing; the count is the
-- driver's.
DELETE FROM engine.retracted_facts AS k USING engine.retractions AS r
WHERE r.user_id = %(user_id)s AND k.retraction_id = r.retraction_id AND (k.retraction_id, k.place, k.fact_id) IN (
    SELECT o.retraction_id, o.place, o.fact_id FROM engine.retracted_facts AS o WHERE o.fact_id = ANY (%(facts)s::uuid[])
    UNION SELECT o.retraction_id, o.place, o.fact_id FROM engine.retracted_facts AS o WHERE engine.ids_in(o.before::text) && %(ids)s::uuid[])

-- name: retraction_steps
-- Purpose: puts surrogates in the place of records and facts in the steps of withdrawals; a step that is not undone counts as undone: nothing of it can come back.
-- Parameters: user_id, records, facts. Returns: retraction_id.
UPDATE engine.retraction_steps AS s
SET record_id = engine.surrogate(s.record_id), fact_id = engine.surrogate(s.fact_id), state = 'undone'
FROM engine.retractions AS r
WHERE r.user_id = %(user_id)s AND s.retraction_id = r.retraction_id AND (s.record_id = ANY (%(records)s::uuid[]) OR s.fact_id = ANY (%(facts)s::uuid[]))
RETURNING s.retraction_id

-- name: retractions
-- Purpose: takes from withdrawals what they were about, where that is one of these, and why. One of which no step waits is done. Parameters: user_id, ids, names (of sources),
-- given (their ids without the kind, as callers give them: two kinds may have the same), retractions (of which steps were changed). Returns: nothing; the count is the driver's.
UPDATE engine.retractions AS r
SET reason = '',
    subject = CASE WHEN r.subject = ANY (%(ids)s::uuid[]::text[]) THEN engine.surrogate(r.subject::uuid)::text
                   WHEN r.kind = 'source' AND (r.subject = ANY (%(names)s::text[]) OR r.retraction_id = ANY (%(retractions)s::uuid[]) AND r.subject = ANY (%(given)s::text[]))
                   THEN 'forgotten:' || encode(engine.tombstone('source', r.user_id, r.subject), 'hex')
                   ELSE r.subject END,
    state = CASE WHEN r.state = 'running' AND NOT EXISTS (SELECT FROM engine.retraction_steps AS s WHERE s.retraction_id = r.retraction_id AND s.state = 'waiting')
                 THEN 'done' ELSE r.state END
WHERE r.user_id = %(user_id)s
  AND (r.retraction_id = ANY (%(retractions)s::uuid[]) OR r.subject = ANY (%(ids)s::uuid[]::text[]) OR r.kind = 'source' AND r.subject = ANY (%(names)s::text[]))

-- name: shared_files
-- Purpose: those of these files that documents of other records have, too. Parameters: user_id, records, files. Returns: file_id.
SELECT DISTINCT v.file_id FROM engine.document_versions AS v
WHERE v.file_id = ANY (%(files)s::uuid[]) AND v.user_id = %(user_id)s AND v.document_id <> ALL (%(records)s::uuid[])

-- name: sources
-- Purpose: deletes how far sources are stored. Parameters: user_id, sources. Returns: nothing; the count is the driver's.
DELETE FROM engine.sources AS s WHERE s.user_id = %(user_id)s AND s.source_id = ANY (%(sources)s::text[])

-- name: superseded_items
-- Purpose: takes away that items of a node were superseded by one of these. Identifier: schema. Parameters: items. Returns: nothing; the count is the driver's.
UPDATE {schema}.memory_items AS i SET superseded_by = NULL WHERE i.superseded_by = ANY (%(items)s::uuid[]) AND i.item_id <> ALL (%(items)s::uuid[])

-- name: term_counts
-- Purpose: takes the words of records out of the counts of their node, of the rows that are counted still. Parameters: node_schema (its name), records.
-- Returns: nothing of use.
SELECT engine.subtract_words(%(node_schema)s, array_agg(c.unit), array_agg(c.term), array_agg(c.documents))
FROM engine.words_of(%(node_schema)s, %(records)s::uuid[]) AS c

-- name: term_counts_zero
-- Purpose: deletes counts of words that no document of these nodes has: each is the hash of a word. Parameters: nodes. Returns: nothing; the count is the driver's.
DELETE FROM engine.term_counts AS t WHERE t.node_id = ANY (%(nodes)s::uuid[]) AND t.documents = 0

-- name: things
-- Purpose: notes ids that the later steps need. Parameters: forgetting_id, user_id, kinds, things (of one length). Returns: nothing; the count is the driver's.
INSERT INTO engine.forgetting_things AS o (forgetting_id, kind, hash, thing)
SELECT DISTINCT ON (t.kind, t.thing) %(forgetting_id)s, t.kind, engine.tombstone(t.kind, %(user_id)s, t.thing), t.thing
FROM unnest(%(kinds)s::text[], %(things)s::text[]) AS t (kind, thing) ORDER BY t.kind, t.thing
ON CONFLICT (forgetting_id, kind, hash) DO UPDATE SET thing = excluded.thing WHERE o.thing IS NULL
