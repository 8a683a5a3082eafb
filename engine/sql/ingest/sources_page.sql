-- Purpose: what became of the sources of a session, in order, one page. Parameters: session_id, after (entry_id), limit.
-- Returns: the columns of IngestedSource.
SELECT i.entry_id, i.source_id, i.outcome, i.reason, encode(i.content_hash, 'hex') AS content_hash, i.first_unit, i.units, i.records, i.superseded
FROM engine.ingest_sources AS i
WHERE i.session_id = %(session_id)s AND i.entry_id > %(after)s ORDER BY i.entry_id LIMIT %(limit)s
