-- Purpose: what a grant would open, for the user of the graph. Parameters: node_id, depth (layers below it), below (confidence), titles
--   (how many of each node). Returns: a row a node, at most 200, the granted one first: node_id, path, records, items, private_records,
--   titles, unsure (decisions).
SELECT p.node_id, p.path, p.records, p.items, p.private_records, p.titles, p.unsure
FROM engine.grant_preview(%(node_id)s::uuid, %(depth)s::integer, %(below)s::real, %(titles)s::integer) AS p LIMIT 200
