-- Purpose: which of these records a node holds. Service only. Identifier: schema. Parameters: records. Returns: record_id, revision.
SELECT r.record_id, r.revision FROM {schema}.metadata_records AS r WHERE r.version_of IS NULL AND r.record_id = ANY (%(records)s::uuid[])
