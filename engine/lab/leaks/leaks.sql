-- name: delete_items
-- Purpose: tries to delete every item of a node (never allowed): for the leak fuzzer, rolled back. Identifier: schema.
-- Parameters: none. Returns: nothing.
DELETE FROM {schema}.memory_items

-- name: delete_log
-- Purpose: tries to empty the audit log (never allowed): for the leak fuzzer, rolled back. Parameters: none. Returns: nothing.
DELETE FROM engine.access_log

-- name: insert_assignment
-- Purpose: tries to add an assignment to any graph, in the name of any principal: for the leak fuzzer, rolled back.
-- Parameters: user_id, node_id, author. Returns: nothing.
INSERT INTO engine.assignments (user_id, record_id, node_id, confidence, decided_by, author, decided_at)
VALUES (%(user_id)s, gen_random_uuid(), %(node_id)s, 1, 'hand', %(author)s, now())

-- name: insert_conversation_turns
-- Purpose: tries to append to a conversation of any user: for the leak fuzzer, rolled back. Parameters: user_id, key. Returns: nothing.
INSERT INTO engine.conversation_turns (user_id, source_id, number, digest, tokens, speaker, content)
VALUES (%(user_id)s, %(key)s, 0, sha256(''), 1, '', '')

-- name: insert_conversations
-- Purpose: tries to open a conversation at any node, for any user, in the name of any principal: for the leak fuzzer, rolled back.
-- Parameters: user_id, key, node_id, principal_kind, principal_id. Returns: nothing.
INSERT INTO engine.conversations (user_id, source_id, conversation_id, principal_kind, principal_id, node_id, title, privacy, scope, source,
                                  turns, stored, chain, begun_at, last_at)
VALUES (%(user_id)s, %(key)s, 'c', %(principal_kind)s, %(principal_id)s, %(node_id)s, '', 'org', 'user', 'ingested', 0, 0, '', now(), now())

-- name: insert_deltas
-- Purpose: tries to add a delta of any record at any node, in the name of any principal: for the leak fuzzer, rolled back.
-- Identifier: schema. Parameters: record_id, author. Returns: nothing.
INSERT INTO {schema}.delta_log (delta_id, subject_kind, subject_id, w_coordinate, payload, authored_by)
VALUES (gen_random_uuid(), 'record', %(record_id)s, now(), '{{}}', %(author)s)

-- name: insert_expiry
-- Purpose: tries to say of a record of any user when it expires: for the leak fuzzer, rolled back. Parameters: user_id, node_id. Returns: nothing.
INSERT INTO engine.expiries (record_id, user_id, node_id, expires_at, set_at)
VALUES (gen_random_uuid(), %(user_id)s, %(node_id)s, now() + interval '50 years', now())

-- name: insert_derived
-- Purpose: enters a row of each table that a job derives for a user: for the leak fuzzer, by the service. Parameters: user_id. Returns: nothing.
WITH build AS (INSERT INTO engine.derived_builds (user_id, mark, communities, built_at) VALUES (%(user_id)s, 'x', 0, now())),
     cluster AS (INSERT INTO engine.fact_clusters (cluster_id, user_id, name, size, summary, facts, changed_at)
                 VALUES (gen_random_uuid(), %(user_id)s, 'x', 1, 'x', ARRAY[gen_random_uuid()], now())),
     meaning AS (INSERT INTO engine.entity_meanings (entity_id, embedding_version, user_id, centroid, descriptors, items, rebuilt_at)
                 VALUES (gen_random_uuid(), 'x', %(user_id)s, '[1]', ARRAY[]::text[], 1, now())),
     entity AS (INSERT INTO engine.known_entities (entity_id, user_id, name, kind, mentions, nodes, last_mentioned_at, read_at)
                VALUES (gen_random_uuid(), %(user_id)s, 'x', 'thing', 1, 1, now(), now())),
     relation AS (INSERT INTO engine.known_relations (relation_id, user_id, relation_type, source_id, target_id, strength, confidence, read_at)
                  VALUES (gen_random_uuid(), %(user_id)s, 'x', gen_random_uuid(), gen_random_uuid(), 1, 0.5, now()))
INSERT INTO engine.insights (user_id, key, kind, text, facts, relations, entities, records, known_from, built_at)
VALUES (%(user_id)s, 'x', 'pattern', 'x', ARRAY[]::uuid[], ARRAY[]::uuid[], ARRAY[]::uuid[], ARRAY[]::uuid[], now(), now())

-- name: insert_document
-- Purpose: tries to enter a document at any node: for the leak fuzzer, rolled back. Parameters: user_id, node_id, key, document_id.
-- Returns: nothing.
INSERT INTO engine.documents (document_id, user_id, source_id, node_id, created_at)
VALUES (%(document_id)s, %(user_id)s, %(key)s, %(node_id)s, now())

-- name: insert_document_version
-- Purpose: tries to enter a version of any document: for the leak fuzzer, rolled back. Parameters: user_id, document_id, key, author. Returns: nothing.
INSERT INTO engine.document_versions (document_id, version, user_id, source_id, commit_id, title, content_hash, file_id, file_name, chunks,
                                      chunk_hashes, kept, added, superseded, authored_by, known_at)
VALUES (%(document_id)s, 1000, %(user_id)s, %(key)s, gen_random_uuid(), '', sha256(''), gen_random_uuid(), '', ARRAY[]::uuid[], '', 0, 0, 0, %(author)s, now())

-- name: insert_doubts
-- Purpose: pairs in doubt of a user's live facts, each with the next one: for the leak fuzzer. Service only. Parameters: user_id. Returns: nothing.
INSERT INTO engine.fact_doubts (newer, older, user_id, kind, since)
SELECT f.fact_id, f.next, f.user_id, 'maybe', now()
FROM (SELECT f.fact_id, f.user_id, lead(f.fact_id) OVER (ORDER BY f.fact_id) AS next FROM engine.facts AS f
      WHERE f.user_id = %(user_id)s AND f.status = 'live') AS f
WHERE f.next IS NOT NULL
ON CONFLICT DO NOTHING

-- name: insert_event
-- Purpose: tries to write an event in any user's name: for the leak fuzzer, rolled back. Parameters: user_id, node_id, author. Returns: nothing.
INSERT INTO engine.event_log (event_id, user_id, node_id, kind, content, occurred_at, recorded_at, authored_by)
VALUES (gen_random_uuid(), %(user_id)s, %(node_id)s, 'x', '', now(), now(), %(author)s)

-- name: insert_fact
-- Purpose: a fact of a record with its attribute, as an ingest with a model would enter it: for the leak fuzzer. Service only.
-- Parameters: fact_id, user_id, node_id, record_id, privacy, scope, scope_id, over (whether a newer one ended it). Returns: nothing.
WITH attribute AS (INSERT INTO engine.fact_attributes (fact_id, user_id, attribute, label, kind, single) VALUES (%(fact_id)s, %(user_id)s, '', '', '', false))
INSERT INTO engine.facts (fact_id, user_id, node_id, record_id, chain_id, subject, privacy, scope, scope_id, status, valid_from, valid_to, known_from,
                          invalidated_at)
VALUES (%(fact_id)s, %(user_id)s, %(node_id)s, %(record_id)s, %(fact_id)s, 1, %(privacy)s, %(scope)s, %(scope_id)s,
        CASE WHEN %(over)s THEN 'superseded' ELSE 'live' END, '-infinity', CASE WHEN %(over)s THEN now() END, now(), CASE WHEN %(over)s THEN now() END)

-- name: insert_files
-- Purpose: tries to add a file to a record of any node: for the leak fuzzer, rolled back. Identifier: schema.
-- Parameters: record_id. Returns: nothing.
INSERT INTO {schema}.file_manifest (file_id, record_id, file_name, file_type, content_type, storage_path, compression_format,
                                    size_bytes, stored_bytes, sha256)
VALUES (gen_random_uuid(), %(record_id)s, 'leaks', 'other', 'text/plain', 'leaks', 'native', 0, 0, sha256(''))

-- name: insert_grant
-- Purpose: tries to write a grant without its function: for the leak fuzzer, rolled back.
-- Parameters: user_id, node_id. Returns: nothing.
INSERT INTO engine.grants (grant_id, user_id, node_id, subject_kind, subject_id, mode)
VALUES (gen_random_uuid(), %(user_id)s, %(node_id)s, 'third_party', gen_random_uuid(), 'read')

-- name: insert_hierarchy
-- Purpose: tries to log an event in any graph: for the leak fuzzer, rolled back. Parameters: user_id, node_id. Returns: nothing.
INSERT INTO engine.hierarchy_log (user_id, node_id, event, detail) VALUES (%(user_id)s, %(node_id)s, 'too_deep', jsonb_build_object())

-- name: insert_idempotency
-- Purpose: tries to claim a request's key of any user: for the leak fuzzer, rolled back. Parameters: user_id, key. Returns: nothing.
INSERT INTO engine.idempotency (user_id, key, request_hash) VALUES (%(user_id)s, %(key)s, sha256(''))

-- name: insert_items
-- Purpose: tries to add an item to a record of any node: for the leak fuzzer, rolled back. Identifier: schema.
-- Parameters: privacy, record_id. Returns: nothing; may end in a foreign key violation where the policies let it pass.
INSERT INTO {schema}.memory_items (item_id, record_id, kind, session, position, content, content_hash, terms, privacy)
VALUES (gen_random_uuid(), %(record_id)s, 'turn', gen_random_uuid(), 0, '', sha256(''), '{{}}/1000000', %(privacy)s)

-- name: insert_model_answers
-- Purpose: tries to keep an answer of a model in the name of any principal: for the leak fuzzer, rolled back. Parameters: user_id, node_id. Returns: nothing.
INSERT INTO engine.model_answers (user_id, key, model, prompt, answer, input_tokens, output_tokens, created_at)
VALUES (%(user_id)s, sha256(%(node_id)s::text::bytea), 'a model', 'a prompt', jsonb_build_object(), 0, 0, now())

-- name: insert_outbox
-- Purpose: tries to commit changes of these kinds, one of them unknown, to any node of any user: for the leak fuzzer, rolled back.
-- Parameters: user_id, kinds, older (whether the row has the form of older releases, for the first kind), claimed (the user that the
--   rows name), node_id. Returns: nothing.
WITH part AS (
    SELECT jsonb_build_object('records', jsonb_build_array(r.one), 'revision', r.one) AS named
    FROM (SELECT jsonb_build_object('user_id', %(claimed)s::text, 'node_id', %(node_id)s::text) AS one) AS r
)
INSERT INTO engine.outbox (commit_id, user_id, kind, payload)
SELECT gen_random_uuid(), %(user_id)s, (%(kinds)s::text[])[1], CASE WHEN %(older)s THEN p.named ELSE jsonb_build_object('changes', (
    SELECT jsonb_agg(jsonb_build_object('kind', k.kind) || p.named ORDER BY k.place)
    FROM unnest(%(kinds)s::text[]) WITH ORDINALITY AS k (kind, place))) END
FROM part AS p

-- name: insert_records
-- Purpose: tries to add a record to any node: for the leak fuzzer, rolled back. Identifier: schema.
-- Parameters: privacy. Returns: nothing.
INSERT INTO {schema}.metadata_records (record_id, commit_id, summary, embedding_pending, content_type, trigger_type, source_id, privacy)
VALUES (gen_random_uuid(), gen_random_uuid(), '', true, 'other', 'event_boundary', 'leaks', %(privacy)s)

-- name: insert_replay
-- Purpose: tries to begin a replay in any user's name: for the leak fuzzer, rolled back. Parameters: user_id, node_id. Returns: nothing.
INSERT INTO engine.replays (replay_id, user_id, state, began_at, ended_at, total, outcome)
VALUES (gen_random_uuid(), %(user_id)s, 'discarded', now(), now(), 0, jsonb_build_object('node', %(node_id)s::text))

-- name: insert_replayed_record
-- Purpose: tries to stage a record of any replay in any user's name: for the leak fuzzer, rolled back.
-- Parameters: user_id, node_id, replay_id. Returns: nothing.
INSERT INTO engine.replayed_records
    (replay_id, record_id, user_id, node_id, revision, kept, added, ended, summary, keywords, missing)
VALUES (%(replay_id)s, gen_random_uuid(), %(user_id)s, %(node_id)s, 1, 0, 0, 0, false, false, false)

-- name: insert_resource
-- Purpose: tries to add a raw input at any node, in the name of any principal: for the leak fuzzer, rolled back.
-- Parameters: user_id, node_id, key, record_id, file_id, author. Returns: nothing.
INSERT INTO engine.raw_resources (resource_id, user_id, workspace_id, content_type, source_id, record_id, node_id, object_key, file_name, media_type,
                                  packed, content_hash, size_bytes, authored_by, received_at, commit_id)
VALUES (%(file_id)s, %(user_id)s, coalesce(engine.workspace_of(%(user_id)s), gen_random_uuid()), 'event', %(key)s, %(record_id)s, %(node_id)s, '', '',
        '', false, sha256(''), 0, %(author)s, now(), gen_random_uuid())

-- name: insert_scoped
-- Purpose: tries to add a record of a thread to any node: for the leak fuzzer, rolled back. Identifier: schema.
-- Parameters: privacy. Returns: nothing.
INSERT INTO {schema}.metadata_records (record_id, commit_id, summary, embedding_pending, content_type, trigger_type, source_id,
                                       privacy, scope, scope_id)
VALUES (gen_random_uuid(), gen_random_uuid(), '', true, 'other', 'event_boundary', 'leaks', %(privacy)s, 'thread', 'leaks')

-- name: insert_scoped_items
-- Purpose: tries to add an item of a thread to any node: for the leak fuzzer, rolled back. Identifier: schema.
-- Parameters: privacy. Returns: nothing; ends in a foreign key violation where policies and checks let it pass.
INSERT INTO {schema}.memory_items (item_id, record_id, kind, session, position, content, content_hash, terms, privacy, scope, scope_id)
VALUES (gen_random_uuid(), gen_random_uuid(), 'turn', gen_random_uuid(), 0, '', sha256(''), '{{}}/1000000', %(privacy)s, 'thread', 'leaks')

-- name: insert_sources
-- Purpose: tries to add a source to any user: for the leak fuzzer, rolled back. Parameters: user_id, key. Returns: nothing.
INSERT INTO engine.sources (user_id, source_id, units, content_hash, commit_id)
VALUES (%(user_id)s, %(key)s, 1, sha256(''), gen_random_uuid())

-- name: insert_terms
-- Purpose: tries to add a count to any node: for the leak fuzzer, rolled back.
-- Parameters: user_id, node_id, unit. Returns: nothing.
INSERT INTO engine.term_counts (user_id, term, node_id, unit, documents) VALUES (%(user_id)s, 999999, %(node_id)s, %(unit)s, 1)

-- name: integration
-- Purpose: an integration for the leak fuzzer, in the workspace of a user. Service only.
-- Parameters: integration_id, user_id, name. Returns: nothing.
INSERT INTO engine.integrations (integration_id, workspace_id, name)
SELECT %(integration_id)s, u.workspace_id, %(name)s FROM engine.users AS u WHERE u.user_id = %(user_id)s

-- name: node_rows
-- Purpose: every row of a node's tables, and of its counts, that the asker sees, without any other WHERE: for the leak fuzzer. Identifier: schema.
-- Parameters: node_id. Returns: place (table), id, record_id, private, detail (kind of an item, state of a record), known_from, known_to, until
--   (when the state ended, on either clock), moved_at, pointer (where its file is stored), part.
SELECT 'metadata_records' AS place, record_id::text AS id, coalesce(version_of, record_id) AS record_id, privacy = 'private' AS private, state AS detail,
       known_from, known_to, least(known_to, valid_to) AS until, moved_at, file_pointer AS pointer, false AS part
FROM {schema}.metadata_records
UNION ALL SELECT 'memory_items', item_id::text, record_id, privacy = 'private', CASE WHEN category = 'whole' THEN 'whole' ELSE kind END,
                 known_from, known_to, least(known_to, valid_to), moved_at, NULL, false FROM {schema}.memory_items
UNION ALL SELECT 'file_manifest', file_id::text, record_id, false, '', created_at, NULL, NULL, NULL, storage_path, part FROM {schema}.file_manifest
UNION ALL SELECT 'term_counts', unit || ':' || term, NULL, unit LIKE 'private%%', '', now(), NULL, NULL, NULL, NULL, false FROM engine.term_counts WHERE node_id = %(node_id)s
UNION ALL SELECT 'delta_log', delta_id::text, subject_id, false, '', created_at, NULL, NULL, NULL, NULL, false FROM {schema}.delta_log

-- name: search_contents
-- Purpose: contents of any items of any node, as a search shows them: for the leak fuzzer.
-- Parameters: schema_name, items. Returns: id, record_id, file_id.
SELECT item_id::text AS id, record_id::text AS record_id, file_id::text AS file_id
FROM engine.search_contents(%(schema_name)s, %(items)s::uuid[], now(), now())

-- name: search_counts
-- Purpose: counts of documents in any nodes of any user: for the leak fuzzer.
-- Parameters: user_id, nodes. Returns: unit, documents (term 0 counts them).
SELECT unit, documents FROM engine.search_counts(%(user_id)s, %(nodes)s::uuid[], ARRAY[0])

-- name: search_nodes
-- Purpose: the nodes that a search would visit, of any graph: for the leak fuzzer. Parameters: user_id. Returns: id.
SELECT node_id::text AS id FROM engine.search_nodes(%(user_id)s::uuid, NULL, now(), now(), 1000000)
UNION
SELECT node_id::text FROM engine.search_younger_nodes(%(user_id)s::uuid, NULL, now(), '-infinity', 1000000)

-- name: search_scan
-- Purpose: scans any nodes by the names of their schemas, as a search does: for the leak fuzzer.
-- Parameters: user_id, nodes, schemas (arrays of one length), scopes, terms. Returns: id of each item.
SELECT s.item_id::text AS id
FROM engine.search_vectors(%(user_id)s, %(nodes)s::uuid[], %(terms)s::integer[], %(scopes)s::text[]) AS v,
     engine.search_scan(%(nodes)s::uuid[], %(schemas)s::text[], NULL, '', v.items, v.records, NULL, NULL, %(scopes)s::text[], now(), now(), NULL) AS s

-- name: shared_rows
-- Purpose: every row of the shared tables that the asker sees, without any WHERE: for the leak fuzzer.
-- Parameters: none. Returns: place (table), id, user_id, detail (key of a source or request, event of a log line, record and state of a fact, records of a pair).
SELECT 'nodes' AS place, node_id::text AS id, user_id, '' AS detail FROM engine.nodes
UNION ALL SELECT 'users', user_id::text, user_id, '' FROM engine.users
UNION ALL SELECT 'outbox', commit_id::text, user_id, '' FROM engine.outbox
UNION ALL SELECT 'sources', source_id, user_id, source_id FROM engine.sources
UNION ALL SELECT 'idempotency', key, user_id, key FROM engine.idempotency
UNION ALL SELECT 'hierarchy_log', event_id::text, user_id, '' FROM engine.hierarchy_log
UNION ALL SELECT 'grants', grant_id::text, user_id, '' FROM engine.grants
UNION ALL SELECT 'access_log', entry_id::text, user_id, event FROM engine.access_log
UNION ALL SELECT 'compression_state_log', entry_id::text, user_id, trigger FROM engine.compression_state_log
UNION ALL SELECT 'ingest_sessions', session_id::text, user_id, '' FROM engine.ingest_sessions
UNION ALL SELECT 'ingest_sources', entry_id::text, user_id, '' FROM engine.ingest_sources
UNION ALL SELECT 'failure_log', failure_id::text, user_id, '' FROM engine.failure_log
UNION ALL SELECT 'node_slices', slice_id::text, user_id, '' FROM engine.node_slices
UNION ALL SELECT 'model_answers', encode(key, 'hex'), user_id, '' FROM engine.model_answers
UNION ALL SELECT 'conversations', source_id, user_id, source_id FROM engine.conversations
UNION ALL SELECT 'conversation_turns', source_id || ' ' || number, user_id, source_id FROM engine.conversation_turns
UNION ALL SELECT 'documents', document_id::text, user_id, source_id FROM engine.documents
UNION ALL SELECT 'document_versions', document_id || ':' || version, user_id, source_id FROM engine.document_versions
UNION ALL SELECT 'raw_resources', resource_id::text, user_id, '' FROM engine.raw_resources
UNION ALL SELECT 'event_log', event_id::text, user_id, '' FROM engine.event_log
UNION ALL SELECT 'assignments', entry_id::text, user_id, '' FROM engine.assignments
UNION ALL SELECT 'replays', replay_id::text, user_id, '' FROM engine.replays
UNION ALL SELECT 'replayed_records', record_id::text, user_id, '' FROM engine.replayed_records
UNION ALL SELECT 'facts', fact_id::text, user_id, record_id || ' ' || CASE status WHEN 'live' THEN 'live' ELSE 'over' END FROM engine.facts
UNION ALL SELECT 'fact_attributes', a.fact_id::text, f.user_id, f.record_id || ' ' || CASE f.status WHEN 'live' THEN 'live' ELSE 'over' END
FROM engine.fact_attributes AS a LEFT JOIN engine.facts AS f USING (fact_id)
UNION ALL SELECT 'fact_doubts', d.newer || ' ' || d.older, d.user_id, n.record_id || ' ' || o.record_id
FROM engine.fact_doubts AS d LEFT JOIN engine.facts AS n ON n.fact_id = d.newer LEFT JOIN engine.facts AS o ON o.fact_id = d.older
UNION ALL SELECT 'expiries', record_id::text, user_id, '' FROM engine.expiries
UNION ALL SELECT 'derived_builds', user_id::text, user_id, '' FROM engine.derived_builds
UNION ALL SELECT 'fact_clusters', cluster_id::text, user_id, '' FROM engine.fact_clusters
UNION ALL SELECT 'insights', insight_id::text, user_id, '' FROM engine.insights
UNION ALL SELECT 'entity_meanings', entity_id::text, user_id, '' FROM engine.entity_meanings
UNION ALL SELECT 'known_entities', entity_id::text, user_id, '' FROM engine.known_entities
UNION ALL SELECT 'known_relations', relation_id::text, user_id, '' FROM engine.known_relations

-- name: stranger
-- Purpose: an integration for the leak fuzzer, in a workspace of its own. Service only. Parameters: integration_id, name.
-- Returns: nothing.
WITH elsewhere AS (
    INSERT INTO engine.workspaces (workspace_id, name) VALUES (gen_random_uuid(), %(name)s) RETURNING workspace_id
)
INSERT INTO engine.integrations (integration_id, workspace_id, name)
SELECT %(integration_id)s::uuid, e.workspace_id, %(name)s FROM elsewhere AS e

-- name: subject_deltas
-- Purpose: the chain of any record at any node, as the function gives it: for the leak fuzzer. Parameters: node_id, subject_id. Returns: id.
SELECT delta_id::text AS id FROM engine.subject_deltas(%(node_id)s, %(subject_id)s, 0, 1000)

-- name: subject_name
-- Purpose: the name of a grant's subject, for any asker: for the leak fuzzer. Parameters: subject_id. Returns: name, or NULL.
SELECT engine.subject_name(%(subject_id)s) AS name

-- name: take_file_id
-- Purpose: tries to give the first file of a node that the asker sees another id: for the leak fuzzer, rolled back.
-- Identifier: schema. Parameters: id. Returns: nothing; see the row count.
UPDATE {schema}.file_manifest SET file_id = %(id)s WHERE file_id = (SELECT file_id FROM {schema}.file_manifest ORDER BY 1 LIMIT 1)

-- name: take_item_id
-- Purpose: tries to give the first item of a node that the asker sees another id: for the leak fuzzer, rolled back.
-- Identifier: schema. Parameters: id. Returns: nothing; see the row count.
UPDATE {schema}.memory_items SET item_id = %(id)s WHERE item_id = (SELECT item_id FROM {schema}.memory_items ORDER BY 1 LIMIT 1)

-- name: take_item_record
-- Purpose: tries to attach the first item of a node that the asker sees to another record: for the leak fuzzer, rolled back.
-- Identifier: schema. Parameters: id. Returns: nothing; see the row count.
UPDATE {schema}.memory_items SET record_id = %(id)s WHERE item_id = (SELECT item_id FROM {schema}.memory_items ORDER BY 1 LIMIT 1)

-- name: take_record_id
-- Purpose: tries to give the first record of a node that the asker sees another id: for the leak fuzzer, rolled back.
-- Identifier: schema. Parameters: id. Returns: nothing; see the row count.
UPDATE {schema}.metadata_records SET record_id = %(id)s WHERE record_id = (SELECT record_id FROM {schema}.metadata_records ORDER BY 1 LIMIT 1)

-- name: turn_conversation
-- Purpose: tries to make every conversation another principal's, at another node: for the leak fuzzer, rolled back.
-- Parameters: id, user_id. Returns: nothing; see the row count.
UPDATE engine.conversations SET node_id = %(id)s, principal_kind = 'user', principal_id = %(user_id)s

-- name: update_conversation_turns
-- Purpose: tries to change every waiting turn, without any WHERE: for the leak fuzzer, rolled back. Parameters: none.
-- Returns: nothing; see the row count.
UPDATE engine.conversation_turns SET said_at = now()

-- name: update_conversations
-- Purpose: tries to change every streamed conversation, without any WHERE: for the leak fuzzer, rolled back. Parameters: none.
-- Returns: nothing; see the row count.
UPDATE engine.conversations SET last_at = now()

-- name: update_files
-- Purpose: tries to change every file of a node, without any WHERE: for the leak fuzzer, rolled back. Identifier: schema.
-- Parameters: none. Returns: nothing; see the row count.
UPDATE {schema}.file_manifest SET last_accessed_at = now()

-- name: update_idempotency
-- Purpose: tries to change every kept answer, without any WHERE: for the leak fuzzer, rolled back. Parameters: none.
-- Returns: nothing; see the row count.
UPDATE engine.idempotency SET created_at = now()

-- name: update_items
-- Purpose: tries to change every item of a node, without any WHERE: for the leak fuzzer, rolled back. Identifier: schema.
-- Parameters: none. Returns: nothing; see the row count.
UPDATE {schema}.memory_items SET last_accessed_at = now()

-- name: update_records
-- Purpose: tries to change every record of a node, without any WHERE: for the leak fuzzer, rolled back. Identifier: schema.
-- Parameters: none. Returns: nothing; see the row count.
UPDATE {schema}.metadata_records SET last_accessed_at = now()

-- name: update_sources
-- Purpose: tries to change every source, without any WHERE: for the leak fuzzer, rolled back. Parameters: none.
-- Returns: nothing; see the row count.
UPDATE engine.sources SET updated_at = now()

-- name: update_terms
-- Purpose: tries to change every count of all nodes, without any WHERE: for the leak fuzzer, rolled back.
-- Parameters: none. Returns: nothing; see the row count.
UPDATE engine.term_counts SET documents = 1
