-- Purpose: the words of items as the counts of their node have them, locked in the order of ids until the transaction ends: not of those that
--   are known no longer, or hold a whole input. Identifier: schema. Parameters: items (ids). Returns: terms, unit, privacy, scope.
SELECT terms, CASE kind WHEN 'turn' THEN 'turn' ELSE 'passage' END AS unit, privacy, scope
FROM {schema}.memory_items
WHERE item_id = ANY (%(items)s::uuid[]) AND version_of IS NULL AND known_to IS NULL AND category <> 'whole' ORDER BY item_id FOR UPDATE
