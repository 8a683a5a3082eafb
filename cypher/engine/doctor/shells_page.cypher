// Purpose: shells of the graph, one page. Operator only, all users. Parameters: after (node id), limit. Returns: node_id, name, revision.
MATCH (n:Node) WHERE n.node_id > $after
RETURN n.node_id AS node_id, n.name AS name, coalesce(n.revision, 1) AS revision ORDER BY n.node_id LIMIT $limit
