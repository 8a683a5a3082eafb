// Purpose: shells of these nodes with their counts, for the comparison of the stores. Operator only, all users. Parameters: nodes.
// Returns: node_id, schema_name, records (counted), counted_records, counted_items, state, state_seq.
UNWIND $nodes AS wanted
MATCH (n:Node {node_id: wanted})
RETURN n.node_id AS node_id, n.schema_name AS schema_name, COUNT { (n)-[:HOLDS]->() } AS records,
       n.records AS counted_records, n.items AS counted_items, n.state AS state, n.state_seq AS state_seq
LIMIT 10000
