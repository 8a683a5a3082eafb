-- Purpose: the text around places of items, as far as the principal may read them. Parameters: places (json array of {node_id, item_id, start, end}), around
--   (characters on each side). Returns: item_id, text, begins (where the place begins in it), speaker, occurred_at.
SELECT e.item_id, e.text, e.begins, e.speaker, e.occurred_at FROM engine.item_excerpts(%(places)s, %(around)s::integer) AS e LIMIT 1000
