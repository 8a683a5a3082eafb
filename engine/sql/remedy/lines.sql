-- Purpose: the live records of a node, one page. Identifier: schema. Parameters: after (record id), limit. Returns: record_id.
SELECT record_id FROM {schema}.metadata_records
WHERE state = 'live' AND version_of IS NULL AND record_id > %(after)s ORDER BY record_id LIMIT %(limit)s
