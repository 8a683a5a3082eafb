// Purpose: lists records in the manifests of the nodes that hold them, and in no other; with their number of items. Operator only, all users.
// Idempotent; the shells are recounted afterwards. Parameters: records [{record_id, node_id, items, revision}]. Returns: record_id.
UNWIND $records AS row
MATCH (r:Record {record_id: row.record_id}), (n:Node {node_id: row.node_id})
CALL (r, n) { MATCH (old:Node)-[h:HOLDS]->(r) WHERE old <> n DELETE h }
MERGE (n)-[:HOLDS]->(r)
SET r.node_id = n.node_id, r.items = row.items, r.moved_revision = row.revision
RETURN r.record_id AS record_id
