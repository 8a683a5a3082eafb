// Purpose: records of the graph that have a node, one page; one that has lost the id of its node has that of the node that holds it. Operator only, all users. Parameters: after (record id), limit.
// Returns: record_id, node_id, title, file_id, revision.
MATCH (r:Record) WHERE r.record_id > $after AND (r.node_id IS NOT NULL OR EXISTS { (:Node)-[:HOLDS]->(r) })
RETURN r.record_id AS record_id, coalesce(r.node_id, head(COLLECT { MATCH (n:Node)-[:HOLDS]->(r) RETURN n.node_id })) AS node_id, r.title AS title, r.file_id AS file_id, coalesce(r.revision, 1) AS revision
ORDER BY r.record_id LIMIT $limit
