// Purpose: shells without a vector of a version, one page. Operator only.
// Parameters: version, label (the slot's property with the version's name), after (node_id), limit.
// Returns: node_id, revision, name, summary, keywords.
CYPHER 25
MATCH (n:Node)
WHERE n.node_id > $after AND coalesce(n[$label] <> $version, true)
RETURN n.node_id AS node_id, coalesce(n.revision, 1) AS revision, n.name AS name, n.summary AS summary, n.keywords AS keywords
ORDER BY n.node_id LIMIT $limit
