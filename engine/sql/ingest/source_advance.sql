-- Purpose: notes how far a source is stored with this commit; refuses when another request was faster.
-- Parameters: source_id, seen, units, content_hash, commit_id. Returns: nothing of use.
SELECT engine.advance_source(%(source_id)s, %(seen)s::integer, %(units)s::integer, %(content_hash)s, %(commit_id)s)
