// Purpose: records of the graph that have a node, one page. Operator only, all users. Parameters: after (record id), limit.
// Returns: record_id, node_id, title, file_id, revision.
MATCH (r:Record) WHERE r.record_id > $after AND (r.node_id IS NOT NULL OR EXISTS { (:Node)-[:HOLDS]->(r) })
WITH r ORDER BY r.record_id LIMIT $limit
RETURN r.record_id AS record_id, part.node_of(r) AS node_id, r.title AS title, r.file_id AS file_id, coalesce(r.revision, 1) AS revision
ORDER BY record_id
