-- Purpose: ingest sessions of the principal's graph, newest first, one page.
-- Parameters: before (session_id or null), key (or null), session_id (or null), limit. Returns: the columns of IngestSession.
SELECT s.session_id, s.actor_kind, s.actor_id, s.key, s.state, s.attempt, s.started_at, s.touched_at, s.ended_at, s.sources_in, s.turns_in,
       s.files_in, s.turns, s.files, s.records, s.items, s.superseded, s.skipped, s.failed, s.pending, s.failure
FROM engine.ingest_sessions AS s
WHERE (%(before)s::uuid IS NULL OR (s.started_at, s.session_id) <
       (SELECT b.started_at, b.session_id FROM engine.ingest_sessions AS b WHERE b.session_id = %(before)s))
  AND (%(key)s::text IS NULL OR s.key = %(key)s) AND (%(session_id)s::uuid IS NULL OR s.session_id = %(session_id)s)
ORDER BY s.started_at DESC, s.session_id DESC LIMIT %(limit)s
