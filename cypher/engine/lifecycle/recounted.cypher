// Purpose: recounts records and items of these nodes, where records were entered again. Operator only. Parameters: nodes. Returns: node_id.
UNWIND $nodes AS wanted
MATCH (n:Node {node_id: wanted})
SET n.records = n.records  // takes the lock: waits for concurrent changes of the counts
WITH n
OPTIONAL MATCH (n)-[:HOLDS]->(r:Record)
WITH n, count(r) AS records, sum(coalesce(r.items, 0)) AS items,
     count(CASE WHEN r.privacy = 'private' THEN r END) AS private_records,
     sum(CASE WHEN r.privacy = 'private' THEN coalesce(r.items, 0) ELSE 0 END) AS private_items
SET n.records = records, n.items = items, n.private_records = private_records, n.private_items = private_items
RETURN n.node_id AS node_id
