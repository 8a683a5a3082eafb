-- Purpose: every row of the shared tables that the asker sees, without any WHERE: for the leak fuzzer.
-- Parameters: none. Returns: place (table), id, user_id, detail (key of a source or request, event of a log line, record and state of a fact).
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
UNION ALL SELECT 'derived_builds', user_id::text, user_id, '' FROM engine.derived_builds
UNION ALL SELECT 'fact_clusters', cluster_id::text, user_id, '' FROM engine.fact_clusters
UNION ALL SELECT 'insights', insight_id::text, user_id, '' FROM engine.insights
UNION ALL SELECT 'entity_meanings', entity_id::text, user_id, '' FROM engine.entity_meanings
