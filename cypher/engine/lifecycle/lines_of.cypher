// Purpose: the records that a node's manifest lists, one page. Operator only. Parameters: node_id, after (record id), limit. Returns: record_id.
MATCH (:Node {node_id: $node_id})-[:HOLDS]->(r:Record) WHERE r.record_id > $after
RETURN r.record_id AS record_id ORDER BY record_id LIMIT $limit
