-- Purpose: which of these records of a node hold now. Identifier: schema. Parameters: records (ids). Returns: record_id.
SELECT r.record_id FROM {schema}.metadata_records AS r
WHERE r.record_id = ANY (%(records)s::uuid[]) AND r.state = 'live' AND r.version_of IS NULL AND r.known_to IS NULL AND r.valid_to IS NULL
LIMIT 10000
