// Purpose: which of these shells have no vector of a version. Operator only.
// Parameters: nodes, version, label (the slot's property with the version's name). Returns: node_id, revision, name, summary, keywords.
CYPHER 25
UNWIND $nodes AS node_id
MATCH (n:Node {node_id: node_id})
WHERE coalesce(n[$label] <> $version, true)
RETURN n.node_id AS node_id, coalesce(n.revision, 1) AS revision, n.name AS name, n.summary AS summary, n.keywords AS keywords
