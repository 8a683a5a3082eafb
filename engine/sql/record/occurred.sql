-- Purpose: when a document's record is dated, for a version that brings no date of its own. Identifier: schema. Parameters: record_id. Returns: occurred_at; no row where it has none.
SELECT occurred_at FROM {schema}.metadata_records WHERE record_id = %(record_id)s AND version_of IS NULL AND occurred_at IS NOT NULL
