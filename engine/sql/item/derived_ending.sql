-- Purpose: what was derived from a record and still holds, locked in the order of ids: it ends with the version of the document. Identifier: schema.
-- Parameters: record_id. Returns: item_id, revision, known_from (of the newest slice), terms, unit, privacy, scope, whole (whether it has
--   no words of its own).
SELECT item_id, revision, known_from, terms, 'passage' AS unit, privacy, scope, category = 'whole' AS whole FROM {schema}.memory_items
WHERE record_id = %(record_id)s AND kind IN ('fact', 'observation', 'summary') AND version_of IS NULL AND known_to IS NULL
ORDER BY item_id LIMIT 1000000 FOR UPDATE
