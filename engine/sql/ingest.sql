-- name: abandoned
-- Purpose: ends sessions that gave no sign of life since a time. Service only. Parameters: before, limit. Returns: nothing; the count is the driver's.
UPDATE engine.ingest_sessions AS s
SET state = 'failed', ended_at = s.touched_at, failure = 'The process that carried it out ended; the same ingest again goes on from there.'
WHERE s.session_id IN (SELECT o.session_id FROM engine.ingest_sessions AS o WHERE o.state = 'running' AND o.touched_at < %(before)s
                       ORDER BY o.touched_at LIMIT %(limit)s)
  AND s.state = 'running' AND s.touched_at < %(before)s

-- name: begin
-- Purpose: begins an ingest session, or takes up the one of that key again. Parameters: session_id, key (or null), came, now. Returns: nothing of use.
SELECT engine.begin_ingest(%(session_id)s, %(key)s, %(came)s, %(now)s)

-- name: end
-- Purpose: ends an ingest session. Parameters: session_id, state, failure (or null), skipped_count, skipped, now. Returns: nothing of use.
SELECT engine.end_ingest(%(session_id)s, %(state)s, %(failure)s, %(skipped_count)s::integer, %(skipped)s, %(now)s)

-- name: noted
-- Purpose: adds a commit to its session. Parameters: session_id, commit_id, counts, sources, now. Returns: nothing of use.
SELECT engine.note_ingested(%(session_id)s, %(commit_id)s, %(counts)s, %(sources)s, %(now)s)

-- name: sessions_page
-- Purpose: ingest sessions of the principal's graph, newest first, one page.
-- Parameters: before (session_id or null), key (or null), session_id (or null), limit. Returns: the columns of IngestSession.
SELECT s.session_id, s.actor_kind, s.actor_id, s.key, s.state, s.attempt, s.started_at, s.touched_at, s.ended_at, s.sources_in, s.turns_in,
       s.files_in, s.turns, s.files, s.records, s.items, s.superseded, s.skipped, s.failed, s.pending, s.failure
FROM engine.ingest_sessions AS s
WHERE (%(before)s::uuid IS NULL OR (s.started_at, s.session_id) <
       (SELECT b.started_at, b.session_id FROM engine.ingest_sessions AS b WHERE b.session_id = %(before)s))
  AND (%(key)s::text IS NULL OR s.key = %(key)s) AND (%(session_id)s::uuid IS NULL OR s.session_id = %(session_id)s)
ORDER BY s.started_at DESC, s.session_id DESC LIMIT %(limit)s

-- name: source_advance
-- Purpose: notes how far a source is stored with this commit; refuses when another request was faster.
-- Parameters: source_id, seen, units, content_hash, commit_id. Returns: nothing of use.
SELECT engine.advance_source(%(source_id)s, %(seen)s::integer, %(units)s::integer, %(content_hash)s, %(commit_id)s)

-- name: sources_again
-- Purpose: lets sources be stored anew that were forgotten. Parameters: sources. Returns: nothing of use.
SELECT engine.store_again('source', %(sources)s)

-- name: sources_held
-- Purpose: what became of sources that were stored, and which were forgotten. Parameters: sources (at most 1,000 ids).
-- Returns: the columns of SourceSeen for each that is known, those of its last time where it was stored again after it was withdrawn; 0 units of a
-- forgotten one of which nothing is there any more.
SELECT coalesce(h.source_id, f.thing) AS source_id, coalesce(h.units, 0) AS units, coalesce(h.content_hash, '') AS content_hash,
       coalesce(h.commit_id, '00000000-0000-0000-0000-000000000000') AS commit_id, engine.commit_is_pending(h.commit_id) AS pending,
       engine.commit_is_set_aside(h.commit_id) AS set_aside, coalesce(h.again, 0) AS again, coalesce(h.holding, 0) AS holding, h.retraction_id,
       coalesce(h.emptied, false) AS emptied, h.ended_id, h.ended_node, f.thing IS NOT NULL AS forgotten
FROM engine.sources_held(%(sources)s) AS h FULL JOIN engine.is_forgotten('source', %(sources)s) AS f ON f.thing = h.source_id

-- name: sources_page
-- Purpose: what became of the sources of a session, in order, one page. Parameters: session_id, after (entry_id), limit.
-- Returns: the columns of IngestedSource.
SELECT i.entry_id, i.source_id, i.outcome, i.reason, encode(i.content_hash, 'hex') AS content_hash, i.first_unit, i.units, i.records, i.superseded
FROM engine.ingest_sources AS i
WHERE i.session_id = %(session_id)s AND i.entry_id > %(after)s ORDER BY i.entry_id LIMIT %(limit)s

-- name: sources_seen
-- Purpose: how far sources are stored. Parameters: sources (at most 1,000 ids).
-- Returns: source_id, units, content_hash, commit_id, pending, set_aside for each that is known.
SELECT s.source_id, s.units, s.content_hash, s.commit_id, engine.commit_is_pending(s.commit_id) AS pending,
       engine.commit_is_set_aside(s.commit_id) AS set_aside
FROM engine.sources AS s
WHERE s.source_id = ANY (%(sources)s)

-- name: stored
-- Purpose: what the commits of a session stored of its sources, as their first answer said it. Parameters: user_id, session_id.
-- Returns: source_id, turns, record_id, node_id, title, file_id, items, confidence, node_created, version (null: no document), kept, added, superseded; in
-- the order in which they were stored.
SELECT i.source_id, CASE WHEN line.change ->> 'content_type' = 'conversation' THEN i.units - i.first_unit ELSE 0 END AS turns,
       r.record_id, coalesce((line.change ->> 'node_id')::uuid, d.node_id) AS node_id, coalesce(line.change ->> 'title', v.title) AS title,
       coalesce((line.change ->> 'file_id')::uuid, v.file_id) AS file_id, coalesce((line.change ->> 'items')::integer, v.added) AS items,
       coalesce(placed.confidence, 1)::float8 AS confidence, coalesce(placed.created_node, false) AS node_created,
       v.version, coalesce(v.kept, 0) AS kept, coalesce(v.added, 0) AS added, coalesce(v.superseded, 0) AS superseded
FROM engine.ingest_sources AS i
JOIN engine.outbox AS o ON o.commit_id = i.commit_id AND o.user_id = i.user_id
CROSS JOIN unnest(i.records) WITH ORDINALITY AS r (record_id, place)
LEFT JOIN LATERAL (SELECT entered.line AS change
                   FROM engine.graph_changes(o.kind, o.payload) AS c, jsonb_array_elements(c.change -> 'records') AS entered (line)
                   WHERE c.kind = 'records' AND entered.line ->> 'record_id' = r.record_id::text LIMIT 1) AS line ON true
LEFT JOIN engine.document_versions AS v ON v.document_id = r.record_id AND v.commit_id = i.commit_id AND v.user_id = i.user_id
LEFT JOIN engine.documents AS d ON d.document_id = v.document_id
LEFT JOIN LATERAL (SELECT a.confidence, a.created_node FROM engine.assignments AS a
                   WHERE a.record_id = r.record_id AND line.change IS NOT NULL ORDER BY a.entry_id LIMIT 1) AS placed ON true
WHERE i.session_id = %(session_id)s AND i.user_id = %(user_id)s AND i.outcome = 'stored' AND (line.change IS NOT NULL OR v.document_id IS NOT NULL)
ORDER BY i.entry_id, r.place LIMIT 10000

-- name: stored_before
-- Purpose: whether a source was last stored by a session with this content. Service only, as a persona may not look at sessions. Parameters: user_id,
-- session_id, sources (the names that it may have there), content_hash. Returns: stored.
SELECT coalesce((SELECT i.content_hash = %(content_hash)s FROM engine.ingest_sources AS i
                 WHERE i.session_id = %(session_id)s AND i.user_id = %(user_id)s AND i.source_id = ANY (%(sources)s) AND i.outcome = 'stored'
                 ORDER BY i.entry_id DESC LIMIT 1), false) AS stored

-- name: expire
-- Purpose: keeps when records expire; what was said before of them goes. Parameters: user_id, records, nodes (of each), expires_at, now. Returns: nothing.
INSERT INTO engine.expiries (record_id, user_id, node_id, expires_at, set_at)
SELECT r.record_id, %(user_id)s::uuid, r.node_id, %(expires_at)s::timestamptz, %(now)s::timestamptz
FROM unnest(%(records)s::uuid[], %(nodes)s::uuid[]) AS r (record_id, node_id)
ON CONFLICT (record_id) DO UPDATE SET expires_at = EXCLUDED.expires_at, set_at = EXCLUDED.set_at
