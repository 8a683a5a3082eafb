// Purpose: records of the graph with their nodes, one page. Operator only, all users. Parameters: after (record id), limit.
// Returns: record_id, node_id, title, file_id, revision.
MATCH (r:Record) WHERE r.record_id > $after
RETURN r.record_id AS record_id, r.node_id AS node_id, r.title AS title, r.file_id AS file_id, coalesce(r.revision, 1) AS revision
ORDER BY r.record_id LIMIT $limit
