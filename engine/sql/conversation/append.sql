-- Purpose: appends turns to a streamed conversation, opened where it is new; a repeated one changes nothing, a gap or a contradiction
-- is refused. Parameters: source_id, opening (conversation_id, title, started_at, node_id, privacy, scope, scope_id, source), first,
-- refs, digests, tokens, roles, times, speakers, contents, now. Returns: state, turns, stored, tokens, waiting_tokens, added.
SELECT state, turns, stored, tokens, waiting_tokens, added
FROM engine.append_turns(%(source_id)s, %(opening)s, %(first)s::integer, %(refs)s::text[], %(digests)s::bytea[], %(tokens)s::integer[],
                         %(roles)s::text[], %(times)s::timestamptz[], %(speakers)s::text[], %(contents)s::text[], %(now)s)
