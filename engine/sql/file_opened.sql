-- Purpose: notes that a file was opened: active until the TTL is over. Identifier: schema. Parameters: file_id, now, until. Returns: nothing.
UPDATE {schema}.file_manifest
SET compression_state = 'active', recompress_after = %(until)s, last_accessed_at = greatest(last_accessed_at, %(now)s)
WHERE file_id = %(file_id)s
