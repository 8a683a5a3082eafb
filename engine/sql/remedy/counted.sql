-- Purpose: how many items these records have. Identifier: schema. Parameters: records (uuid[]). Returns: record_id, items.
SELECT r.record_id, (SELECT count(*) FROM {schema}.memory_items AS i
                     WHERE i.record_id = r.record_id AND i.version_of IS NULL AND i.category <> 'whole') AS items
FROM {schema}.metadata_records AS r WHERE r.record_id = ANY (%(records)s::uuid[]) AND r.state = 'live'
