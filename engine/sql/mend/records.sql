-- Purpose: live records of a node, one page. Service only. Identifier: schema. Parameters: after (record id), limit. Returns: record_id, revision, items.
SELECT r.record_id, r.revision, (SELECT count(*) FROM {schema}.memory_items AS i
                                 WHERE i.record_id = r.record_id AND i.version_of IS NULL AND i.category <> 'whole') AS items
FROM {schema}.metadata_records AS r
WHERE r.version_of IS NULL AND r.state = 'live' AND r.record_id > %(after)s ORDER BY r.record_id LIMIT %(limit)s
