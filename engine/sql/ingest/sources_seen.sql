-- Purpose: how far sources are stored. Parameters: sources (at most 1,000 ids).
-- Returns: source_id, units, content_hash, commit_id, pending, set_aside for each that is known.
SELECT s.source_id, s.units, s.content_hash, s.commit_id, engine.commit_is_pending(s.commit_id) AS pending,
       engine.commit_is_set_aside(s.commit_id) AS set_aside
FROM engine.sources AS s
WHERE s.source_id = ANY (%(sources)s)
