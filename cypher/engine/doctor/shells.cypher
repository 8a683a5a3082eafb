// Purpose: shells of these nodes with their place, name and counts, for the comparison of the stores. Operator only, all users. Parameters: nodes.
// Returns: node_id, schema_name, name, name_key, node_type, labels, layer, user_id, parent_id, parents (by HAS_CHILD), records, elsewhere (of
//   these, those that lie at other nodes) and listed_items (of the manifest), counted_records, counted_items, state, state_seq, versions (of its vectors).
UNWIND $nodes AS wanted
MATCH (n:Node {node_id: wanted})
RETURN n.node_id AS node_id, n.schema_name AS schema_name, n.name AS name, n.name_key AS name_key, n.node_type AS node_type, labels(n) AS labels,
       n.layer AS layer, n.user_id AS user_id, n.parent_id AS parent_id, [(p:Node)-[:HAS_CHILD]->(n) | p.node_id] AS parents,
       COUNT { (n)-[:HOLDS]->() } AS records, COUNT { (n)-[:HOLDS]->(r:Record) WHERE r.node_id <> n.node_id } AS elsewhere,
       reduce(total = 0, held IN [(n)-[:HOLDS]->(r:Record) | coalesce(r.items, 0)] | total + held) AS listed_items,
       n.records AS counted_records, n.items AS counted_items, n.state AS state, n.state_seq AS state_seq,
       [CASE WHEN n.embedding IS NULL THEN null ELSE n.embedding_version END,
        CASE WHEN n.embedding_b IS NULL THEN null ELSE n.embedding_b_version END] AS versions
LIMIT 10000
