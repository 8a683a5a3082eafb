-- Purpose: the turns at one node, for the evaluation of placement. Identifiers: schema. Parameters: none.
--   Returns: source_ref, privacy, confidence (of the current decision; 1 if none is kept); a row a turn, or a few of a long one.
SELECT DISTINCT i.source_ref, r.privacy,
       coalesce((SELECT a.confidence::float8 FROM engine.assignments AS a WHERE a.record_id = i.record_id
                 ORDER BY a.entry_id DESC LIMIT 1), 1) AS confidence
FROM {schema}.memory_items AS i JOIN {schema}.metadata_records AS r USING (record_id)
WHERE i.kind = 'turn' AND i.source_ref IS NOT NULL AND i.known_to IS NULL AND r.state = 'live' AND r.known_to IS NULL
LIMIT 1000000
