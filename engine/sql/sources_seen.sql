-- Purpose: how far sources are stored. Parameters: sources (at most 1,000 ids).
-- Returns: source_id, units, content_hash, commit_id, pending for each that is known.
SELECT s.source_id, s.units, s.content_hash, s.commit_id, engine.commit_is_pending(s.commit_id) AS pending
FROM engine.sources AS s
WHERE s.source_id = ANY (%(sources)s)
