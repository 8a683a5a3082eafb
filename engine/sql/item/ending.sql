-- Purpose: chunks that a new version of their document has no more, locked in the order of ids until the transaction ends. Identifier: schema.
-- Parameters: items (ids). Returns: item_id, revision, known_from (of the newest slice), terms, unit, privacy, scope, whole (whether it has no words of
--   its own).
SELECT item_id, revision, known_from, terms, CASE kind WHEN 'turn' THEN 'turn' ELSE 'passage' END AS unit, privacy, scope,
       category = 'whole' AS whole
FROM {schema}.memory_items
WHERE item_id = ANY (%(items)s::uuid[]) AND version_of IS NULL ORDER BY item_id LIMIT 1000000 FOR UPDATE
