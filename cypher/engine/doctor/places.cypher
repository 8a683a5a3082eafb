// Purpose: where shells hang and what they are called, for the comparison with the registry. Operator only, all users. Parameters: nodes.
// Returns: node_id, name, name_key, layer, parent_id, revision, parents (node ids above it in the tree).
UNWIND $nodes AS wanted
MATCH (n:Node {node_id: wanted})
RETURN n.node_id AS node_id, n.name AS name, n.name_key AS name_key, n.layer AS layer, n.parent_id AS parent_id,
       coalesce(n.revision, 1) AS revision, [(p:Node)-[:HAS_CHILD]->(n) | p.node_id] AS parents
LIMIT 10000
