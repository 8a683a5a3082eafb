-- name: append
-- Purpose: appends turns to a streamed conversation, opened where it is new; a repeated one changes nothing, a gap or a contradiction
-- is refused. Parameters: source_id, opening (conversation_id, title, started_at, started_offset, node_id, privacy, scope, scope_id, source, again, expires_at), first,
-- refs, digests, tokens, roles, times, offsets (minutes from UTC, null: none), speakers, contents, now. Returns: state, turns, stored, tokens, waiting_tokens, added.
SELECT state, turns, stored, tokens, waiting_tokens, added
FROM engine.append_turns(%(source_id)s, %(opening)s, %(first)s::integer, %(refs)s::text[], %(digests)s::bytea[], %(tokens)s::integer[],
                         %(roles)s::text[], %(times)s::timestamptz[], %(offsets)s::smallint[], %(speakers)s::text[], %(contents)s::text[], %(now)s)

-- name: due
-- Purpose: conversations of all users of which something may be due, one page by key. Service only.
-- Parameters: silent (nothing came since then), watch_from (tokens), now, after_user, after_source, limit.
-- Returns: user_id, source_id, principal_kind, principal_id.
SELECT user_id, source_id, principal_kind, principal_id
FROM engine.conversations
WHERE state <> 'ended' AND (user_id, source_id) > (%(after_user)s::uuid, %(after_source)s::text)
  AND (state = 'ending' OR last_at <= %(silent)s OR waiting_tokens >= %(watch_from)s) AND (retry_at IS NULL OR retry_at <= %(now)s)
ORDER BY user_id, source_id
LIMIT %(limit)s

-- name: end
-- Purpose: says that no more is to come of a conversation; with `silent`, only where nothing came since then.
-- Parameters: source_id, silent, now. Returns: the conversation.
SELECT conversation_id, title, state, turns, stored, turns - stored AS waiting, tokens, waiting_tokens, oversized, begun_at, last_at, ended_at, failure
FROM engine.end_conversation(%(source_id)s, %(silent)s::timestamptz, %(now)s)

-- name: failed
-- Purpose: notes why a conversation could not be stored, and when it is tried again. Parameters: source_id, failure, retry_at. Returns: nothing.
UPDATE engine.conversations SET failure = left(%(failure)s, 500), retry_at = %(retry_at)s
WHERE user_id = engine.principal_graph() AND source_id = %(source_id)s

-- name: page
-- Purpose: conversations that have not ended, by id, one page. Parameters: after, limit.
-- Returns: conversations.
SELECT conversation_id, title, state, turns, stored, turns - stored AS waiting, tokens, waiting_tokens, oversized, begun_at, last_at, ended_at, failure
FROM engine.conversations
WHERE user_id = engine.principal_graph() AND state <> 'ended'
  AND principal_id = engine.principal_id() AND conversation_id > %(after)s
ORDER BY conversation_id
LIMIT %(limit)s

-- name: piece
-- Purpose: the turns of a piece, and the one before it, whose words may be gone. Parameters: source_id, start, until, limit.
-- Returns: number, ref, digest, said_at, said_offset, speaker, content.
SELECT number, ref, digest, said_at, said_offset, speaker, content
FROM engine.conversation_turns
WHERE user_id = engine.principal_graph() AND source_id = %(source_id)s AND number >= %(start)s - 1 AND number < %(until)s
ORDER BY number
LIMIT %(limit)s

-- name: settle
-- Purpose: moves a conversation forward to what is stored of it, and deletes the words of those turns.
-- Parameters: source_id, hard (tokens above which a turn is counted as oversized), now. Returns: the conversation.
SELECT conversation_id, node_id, title, started_at, started_offset, privacy, scope, scope_id, source, state, turns, stored, chain, waiting_tokens, expires_at
FROM engine.settle_conversation(%(source_id)s, %(hard)s::integer, %(now)s)

-- name: state
-- Purpose: a streamed conversation as it stands. Parameters: source_id. Returns: the conversation, or nothing.
SELECT conversation_id, title, state, turns, stored, turns - stored AS waiting, tokens, waiting_tokens, oversized, begun_at, last_at, ended_at, failure
FROM engine.conversations
WHERE user_id = engine.principal_graph() AND source_id = %(source_id)s

-- name: weights
-- Purpose: how much each waiting turn weighs and whose it is, for the question where to cut.
-- Parameters: source_id, stored, limit. Returns: one row: tokens, roles, speakers, in the order of the turns.
SELECT coalesce(array_agg(t.tokens ORDER BY t.number), ARRAY[]::integer[]) AS tokens, coalesce(array_agg(t.role ORDER BY t.number), ARRAY[]::text[]) AS roles,
       coalesce(array_agg(t.speaker ORDER BY t.number), ARRAY[]::text[]) AS speakers
FROM (SELECT number, tokens, role, speaker FROM engine.conversation_turns
      WHERE user_id = engine.principal_graph() AND source_id = %(source_id)s AND number >= %(stored)s
      ORDER BY number LIMIT %(limit)s) AS t
