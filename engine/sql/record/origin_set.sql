-- Purpose: says of a fresh record to what it belongs and how it came in, where that is not the usual. Identifier: schema.
-- Parameters: record_id, scope, scope_id, source. Returns: nothing.
UPDATE {schema}.metadata_records SET scope = %(scope)s, scope_id = %(scope_id)s, source = %(source)s WHERE record_id = %(record_id)s
