-- Purpose: rows of items with the terms that they are found by, one page, locked until the end of the transaction: slices, too.
--   Identifier: schema. Service only. Parameters: after (row_id), most. Returns: row_id, content, terms, unit, privacy, scope, current (whether
--   the counts of the node have its words).
SELECT item_id AS row_id, content, terms, CASE kind WHEN 'turn' THEN 'turn' ELSE 'passage' END AS unit, privacy, scope,
       version_of IS NULL AND known_to IS NULL AS current
FROM {schema}.memory_items
WHERE item_id > %(after)s AND category <> 'whole' ORDER BY item_id LIMIT %(most)s FOR UPDATE
