-- Purpose: what an export says of records. Identifier: schema. Parameters: records (at most 1,000).
-- Returns: record_id, title, content_type, privacy, scope, scope_id, source, occurred_at; none of those that are missing, or hold no longer.
SELECT r.record_id, r.title, r.content_type, r.privacy, r.scope, r.scope_id, r.source, r.occurred_at
FROM {schema}.metadata_records AS r
WHERE r.record_id = ANY (%(records)s::uuid[]) AND r.version_of IS NULL AND r.state = 'live' AND r.known_to IS NULL
