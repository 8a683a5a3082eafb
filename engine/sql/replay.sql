-- name: advance
-- Purpose: says how far a replay is built; with no record that it is built. Parameters: replay_id, node_id, record_id (both null: no more).
-- Returns: replay_id; none where it is not being built.
UPDATE engine.replays
SET state = CASE WHEN %(record_id)s::uuid IS NULL THEN 'built' ELSE state END,
    after_node = CASE WHEN (after_node, after_record) < (%(node_id)s::uuid, %(record_id)s::uuid) THEN %(node_id)s::uuid ELSE after_node END,
    after_record = CASE WHEN (after_node, after_record) < (%(node_id)s::uuid, %(record_id)s::uuid) THEN %(record_id)s::uuid ELSE after_record END
WHERE replay_id = %(replay_id)s AND state = 'building' RETURNING replay_id

-- name: begin
-- Purpose: begins a replay unless one of the user is open. Parameters: replay_id, user_id, now. Returns: replay_id of the open one.
INSERT INTO engine.replays AS r (replay_id, user_id, began_at, total)
VALUES (%(replay_id)s, %(user_id)s, %(now)s, engine.records_there(%(user_id)s))
ON CONFLICT (user_id) WHERE ended_at IS NULL DO UPDATE SET state = r.state RETURNING r.replay_id

-- name: building
-- Purpose: the next replay that is being built. Service only. Parameters: after (replay_id). Returns: replay_id, user_id; none at the end.
SELECT replay_id, user_id FROM engine.replays WHERE state = 'building' AND replay_id > %(after)s ORDER BY replay_id LIMIT 1

-- name: changed
-- Purpose: how many differing records of a replay were changed since they were made. Parameters: replay_id. Returns: records.
SELECT count(*) AS records FROM engine.replayed_outdated(%(replay_id)s, 1000000)

-- name: end
-- Purpose: ends a replay that is open, and keeps its counts; only one that is built is swapped. Parameters: replay_id, state, now.
-- Returns: replay_id; none where it is over, or not built.
UPDATE engine.replays AS r SET state = %(state)s, ended_at = %(now)s, outcome = engine.replay_counts(r.replay_id)
WHERE r.replay_id = %(replay_id)s AND r.ended_at IS NULL AND (r.state = 'built' OR %(state)s = 'discarded') RETURNING r.replay_id

-- name: next
-- Purpose: the records that a replay makes next. Parameters: replay_id, most. Returns: node_id, schema_name, record_id; none at the end.
SELECT n.node_id, n.schema_name, n.record_id
FROM engine.replays AS r, engine.records_after(r.user_id, r.after_node, r.after_record, %(most)s) AS n
WHERE r.replay_id = %(replay_id)s AND r.state = 'building'

-- name: outdated
-- Purpose: differing records of a replay that were changed since they were made, one page. Parameters: replay_id, most.
-- Returns: node_id, schema_name, record_id.
SELECT node_id, schema_name, record_id FROM engine.replayed_outdated(%(replay_id)s, %(most)s)

-- name: page
-- Purpose: replays, newest first, one page, or one of them. Parameters: user_id, replay_id (null: any), before (replay_id of the last one of the
--   page before, or null), limit. Returns: the columns of Replay, counts as JSON.
SELECT r.replay_id, r.state, r.began_at, r.ended_at, r.total, coalesce(r.outcome, engine.replay_counts(r.replay_id)) AS counts
FROM engine.replays AS r
WHERE r.user_id = %(user_id)s AND (%(replay_id)s::uuid IS NULL OR r.replay_id = %(replay_id)s::uuid)
  AND (%(before)s::uuid IS NULL OR (r.began_at, r.replay_id) < (
      SELECT b.began_at, b.replay_id FROM engine.replays AS b WHERE b.replay_id = %(before)s::uuid))
ORDER BY r.began_at DESC, r.replay_id DESC LIMIT %(limit)s

-- name: record_drop
-- Purpose: drops a staged record of a replay. Parameters: replay_id, record_id. Returns: nothing.
DELETE FROM engine.replayed_records WHERE replay_id = %(replay_id)s AND record_id = %(record_id)s

-- name: record_put
-- Purpose: stages a record as a replay made it, in place of an earlier one. Parameters: the columns. Returns: nothing.
INSERT INTO engine.replayed_records
    (replay_id, record_id, user_id, node_id, revision, kept, added, ended, summary, keywords, missing, plan, vectors, tokens, embeddings)
VALUES (%(replay_id)s, %(record_id)s, %(user_id)s, %(node_id)s, %(revision)s, %(kept)s, %(added)s, %(ended)s, %(summary)s, %(keywords)s,
        %(missing)s, %(plan)s, %(vectors)s, %(tokens)s::bytea[], %(embeddings)s)
ON CONFLICT (replay_id, record_id) DO UPDATE
SET node_id = excluded.node_id, revision = excluded.revision, kept = excluded.kept, added = excluded.added, ended = excluded.ended,
    summary = excluded.summary, keywords = excluded.keywords, missing = excluded.missing, plan = excluded.plan, vectors = excluded.vectors,
    tokens = excluded.tokens,    embeddings = excluded.embeddings

-- name: records_drop
-- Purpose: drops all that a replay has staged. Parameters: replay_id. Returns: nothing.
DELETE FROM engine.replayed_records WHERE replay_id = %(replay_id)s

-- name: records_page
-- Purpose: staged records that come out otherwise, one page, in the order of nodes and records. Parameters: replay_id, node_id and record_id (of
--   the last one of the page before), most. Returns: node_id, schema_name, record_id, plan, vectors, tokens, embeddings.
SELECT s.node_id, n.schema_name, s.record_id, s.plan, s.vectors, s.tokens, s.embeddings
FROM engine.replayed_records AS s JOIN engine.nodes AS n USING (node_id)
WHERE s.replay_id = %(replay_id)s AND s.plan IS NOT NULL AND (s.node_id, s.record_id) > (%(node_id)s, %(record_id)s)
ORDER BY s.node_id, s.record_id LIMIT %(most)s
