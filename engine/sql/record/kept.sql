-- Purpose: what a document's record says of itself before a new version, and the record locked until the transaction ends; what is
--   read after it is the newest. Identifier: schema. Parameters: record_id. Returns: privacy, scope, scope_id, source, terms; none when
--   missing, hidden or not yet visible.
SELECT privacy, scope, scope_id, source, terms FROM {schema}.metadata_records
WHERE record_id = %(record_id)s AND state = 'live' FOR UPDATE
