-- Purpose: texts and vectors of items of a user. Service only. Parameters: user_id, nodes and items (of one length), column and version (of the vectors).
-- Returns: item_id, content, vector (as vector_send gives it).
SELECT i.item_id, i.content, i.vector
FROM engine.item_vectors(%(user_id)s::uuid, %(nodes)s::uuid[], %(items)s::uuid[], %(column)s::text, %(version)s::text) AS i LIMIT 100000
