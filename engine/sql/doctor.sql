-- name: busy_users
-- Purpose: which of these users have commits under way. Service only. Parameters: users. Returns: user_id.
SELECT DISTINCT user_id FROM engine.outbox WHERE user_id = ANY(%(users)s) AND state = 'pending'

-- name: contents
-- Purpose: what is wrong inside of these nodes. Service only. Parameters: nodes.
-- Returns: node_id, schema_name, texts, vectors, deltas, sources, files, unreadable.
SELECT node_id, schema_name, texts, vectors, deltas, sources, files, unreadable FROM engine.node_contents(%(nodes)s::uuid[])

-- name: fact_beginnings
-- Purpose: the beginnings of the texts of these facts. Service only. Parameters: facts (ids), length (characters). Returns: fact_id, text, whole (it is no more).
SELECT b.fact_id, b.text, b.whole FROM engine.fact_beginnings(%(facts)s::uuid[], %(length)s::integer) AS b LIMIT 10000

-- name: facts
-- Purpose: facts that a commit has carried into the graph as they are now, one page; confirmations, too. Service only. Parameters: after (fact_id), most.
-- Returns: fact_id, user_id, revision, status, privacy, scope, supersedes, confirms.
SELECT f.fact_id, f.user_id, f.revision, f.status, f.privacy, f.scope, f.supersedes, f.confirms FROM engine.facts AS f
WHERE f.fact_id > %(after)s AND f.revision = f.graph_revision ORDER BY f.fact_id LIMIT %(most)s

-- name: facts_awaited
-- Purpose: nodes whose facts a job is to look at. Service only. Parameters: none. Returns: node_id.
SELECT d.node_id FROM engine.due AS d WHERE d.derivation = 'chains' LIMIT 100000

-- name: facts_there
-- Purpose: which of these facts there are. Service only. Parameters: facts (ids). Returns: fact_id.
SELECT f.fact_id FROM engine.facts AS f WHERE f.fact_id = ANY (%(facts)s::uuid[]) LIMIT 10000

-- name: file_states
-- Purpose: how many files of these nodes have another state in their manifest than they have. Service only. Parameters: nodes.
-- Returns: node_id, files; no row for a node where all fit.
SELECT node_id, files FROM engine.wrong_file_states(%(nodes)s::uuid[])

-- name: files
-- Purpose: the files of these nodes as their manifests describe them. Service only. Parameters: nodes.
-- Returns: node_id, schema_name, file_id, storage_path, stored_bytes, packed, sha256.
SELECT node_id, schema_name, file_id, storage_path, stored_bytes, packed, sha256 FROM engine.node_files(%(nodes)s::uuid[])

-- name: items_there
-- Purpose: which of these items a node holds. Service only. Identifier: schema. Parameters: items (ids). Returns: item_id.
SELECT i.item_id FROM {schema}.memory_items AS i WHERE i.item_id = ANY (%(items)s::uuid[]) LIMIT 10000

-- name: known_nodes
-- Purpose: which of these nodes the registry does not know. Service only. Parameters: nodes. Returns: node_id.
SELECT asked.node_id FROM unnest(%(nodes)s::uuid[]) AS asked (node_id)
WHERE NOT EXISTS (SELECT 1 FROM engine.nodes AS n WHERE n.node_id = asked.node_id)

-- name: lost_documents
-- Purpose: documents of these nodes of which nothing is left but their records. Service only. Parameters: nodes. Returns: schema_name, documents; no row
-- for a node where all is there.
SELECT l.schema_name, l.documents FROM engine.lost_documents(%(nodes)s::uuid[]) AS l

-- name: lost_inputs
-- Purpose: versions of documents whose input is gone, one page of versions. Service only. Parameters: after (document_id) and after_second (a version), limit.
-- Returns: key, second, user_id, rows (that are lost); only where some are, and the last one of the page.
WITH page AS (
    SELECT v.document_id, v.version, v.user_id, v.file_id FROM engine.document_versions AS v
    WHERE (v.document_id, v.version) > (%(after)s, %(after_second)s::integer) ORDER BY v.document_id, v.version LIMIT %(limit)s
), found AS (
    SELECT p.*, (NOT EXISTS (SELECT FROM engine.raw_resources AS r WHERE r.resource_id = p.file_id))::integer AS rows,
           lead(p.version) OVER (ORDER BY p.document_id, p.version) IS NULL AS last
    FROM page AS p
)
SELECT f.document_id AS key, f.version::text AS second, f.user_id, f.rows FROM found AS f WHERE f.rows > 0 OR f.last ORDER BY f.document_id, f.version

-- name: lost_references
-- Purpose: rows that foreign keys of the shared tables lead to and that are gone. Service only. Parameters: most (that are counted of a key).
-- Returns: place (the table that refers), refers_to, rows.
SELECT l.place, l.refers_to, l.rows FROM engine.lost_references(%(most)s::integer) AS l LIMIT 1000

-- name: lost_rows_of_nodes
-- Purpose: what live records of these nodes lack in the shared tables. Service only. Parameters: nodes. Returns: schema_name, decisions, inputs; no row
-- for a node where all is there.
SELECT l.schema_name, l.decisions, l.inputs FROM engine.lost_rows_of_nodes(%(nodes)s::uuid[]) AS l

-- name: lost_steps
-- Purpose: withdrawals that lack steps, one page of withdrawals. Service only. Parameters: after (retraction_id), limit. Returns: as lost_inputs, second is empty.
WITH page AS (
    SELECT r.retraction_id, r.user_id FROM engine.retractions AS r WHERE r.retraction_id > %(after)s ORDER BY r.retraction_id LIMIT %(limit)s
), found AS (
    SELECT p.*, coalesce(s.newest - s.there, 1) AS rows, lead(p.user_id) OVER (ORDER BY p.retraction_id) IS NULL AS last
    FROM page AS p CROSS JOIN LATERAL (SELECT count(*) AS there, max(s.place) AS newest FROM engine.retraction_steps AS s
                                       WHERE s.retraction_id = p.retraction_id) AS s
)
SELECT f.retraction_id AS key, '' AS second, f.user_id, f.rows FROM found AS f WHERE f.rows > 0 OR f.last ORDER BY f.retraction_id

-- name: lost_turns
-- Purpose: streamed conversations that lack turns, one page of conversations: a long one, or several with `most` turns together. Service only. Parameters:
--   after (user_id) and after_second (source_id), limit, most. Returns: as lost_inputs.
WITH listed AS (
    SELECT c.user_id, c.source_id, c.turns FROM engine.conversations AS c
    WHERE (c.user_id, c.source_id) > (%(after)s, %(after_second)s) ORDER BY c.user_id, c.source_id LIMIT %(limit)s
), page AS (
    SELECT l.*, sum(l.turns) OVER (ORDER BY l.user_id, l.source_id) - l.turns AS before FROM listed AS l
), found AS (
    SELECT p.*, p.turns - t.there AS rows, lead(p.turns) OVER (ORDER BY p.user_id, p.source_id) IS NULL AS last
    FROM (SELECT p.* FROM page AS p WHERE p.before < %(most)s) AS p
    CROSS JOIN LATERAL (SELECT count(*) AS there FROM engine.conversation_turns AS t WHERE t.user_id = p.user_id AND t.source_id = p.source_id) AS t
)
SELECT f.user_id AS key, f.source_id AS second, f.user_id, f.rows FROM found AS f WHERE f.rows > 0 OR f.last ORDER BY f.user_id, f.source_id

-- name: lost_versions
-- Purpose: documents that lack versions: earlier ones, or that of an input that came in; one page of documents. Service only. Parameters: after (document_id),
--   limit. Returns: as lost_inputs, second is empty.
WITH page AS (
    SELECT d.document_id, d.user_id FROM engine.documents AS d WHERE d.document_id > %(after)s ORDER BY d.document_id LIMIT %(limit)s
), found AS (
    SELECT p.*, lead(p.user_id) OVER (ORDER BY p.document_id) IS NULL AS last,
           CASE WHEN v.newest = v.there THEN (SELECT count(*) FROM engine.raw_resources AS r WHERE r.record_id = p.document_id
               AND NOT EXISTS (SELECT FROM engine.document_versions AS o WHERE o.document_id = p.document_id AND o.file_id = r.resource_id))
           ELSE coalesce(v.newest - v.there, 1) END AS rows
    FROM page AS p CROSS JOIN LATERAL (SELECT count(*) AS there, max(v.version) AS newest FROM engine.document_versions AS v
                                       WHERE v.document_id = p.document_id) AS v
)
SELECT f.document_id AS key, '' AS second, f.user_id, f.rows FROM found AS f WHERE f.rows > 0 OR f.last ORDER BY f.document_id

-- name: nodes
-- Purpose: one page of nodes as the registry and their schemas show them, with the state that follows from their files. Of a damaged node, whose
-- rows may be hidden from the service, nothing is counted. Service only. Parameters: after (node id), limit. Returns: the columns of NodeFacts.
WITH page AS MATERIALIZED (SELECT * FROM engine.node_facts(%(after)s, %(limit)s::integer)),
lacking AS MATERIALIZED (
    SELECT l.node_id, format('the %%s of its table %%s is not that of a new node', concat_ws(' ', min(l.kind), nullif(min(l.name), '')), min(l.place))
           || CASE WHEN count(*) > 1 THEN format(', and %%s more', count(*) - 1) ELSE '' END AS damage
    FROM engine.node_lacks(ARRAY(SELECT p.node_id FROM page AS p)) AS l GROUP BY l.node_id
),
found AS (
    SELECT p.*, n.name, n.name_key, n.node_type, n.layer, n.parent_id, coalesce(engine.node_damage(n.schema_name, n.template_version), l.damage) AS damage
    FROM page AS p JOIN engine.nodes AS n USING (node_id) LEFT JOIN lacking AS l USING (node_id)
)
SELECT f.node_id, f.user_id, f.schema_name, f.state, CASE WHEN f.damage IS NULL THEN f.records END AS records,
       CASE WHEN f.damage IS NULL THEN f.items END AS items, CASE WHEN f.damage IS NULL THEN f.pointers END AS pointers,
       s.state AS file_state, s.seq AS file_seq, s.told_seq >= s.seq AS applied, f.name, f.name_key, f.node_type, f.layer, f.parent_id, f.damage,
       EXISTS (SELECT FROM engine.outbox AS o WHERE o.user_id = f.user_id AND o.state = 'pending') AS busy,
       EXISTS (SELECT FROM engine.due AS d WHERE d.derivation = 'vectors' AND d.node_id = f.node_id) AS waits, engine.active_embeddings() AS active
FROM found AS f LEFT JOIN engine.node_states AS s USING (node_id) ORDER BY f.node_id

-- name: pending
-- Purpose: commits that should have been finished by now. Service only. Parameters: older_than (seconds). Returns: pending, oldest, failure.
SELECT count(*) AS pending, min(created_at) AS oldest, max(last_failure) AS failure
FROM engine.outbox WHERE state = 'pending' AND created_at < now() - make_interval(secs => %(older_than)s)

-- name: record_copies
-- Purpose: what Postgres has of these records of these nodes. Service only. Parameters: nodes, records (ids).
-- Returns: record_id, node_id, schema_name, privacy, content_type.
SELECT c.record_id, c.node_id, c.schema_name, c.privacy, c.content_type FROM engine.record_copies(%(nodes)s::uuid[], %(records)s::uuid[]) AS c LIMIT 10000

-- name: strays
-- Purpose: node schemas that no registry row owns. Service only. Parameters: limit. Returns: schema_name.
SELECT s.nspname AS schema_name FROM pg_namespace AS s
JOIN pg_class AS c ON c.relnamespace = s.oid AND c.relname = 'metadata_records'
WHERE s.nspname <> 'template' AND NOT EXISTS (SELECT 1 FROM engine.nodes AS n WHERE n.schema_name = s.nspname)
ORDER BY 1 LIMIT %(limit)s
