// Purpose: edges of the graph, one page. Operator only, all users. Parameters: after (edge id), limit. Returns: edge_id, edge_type, revision.
MATCH (:Node)-[e:part.edge()]->(:Node) WHERE e.edge_id > $after
RETURN e.edge_id AS edge_id, e.edge_type AS edge_type, coalesce(e.revision, 1) AS revision ORDER BY e.edge_id LIMIT $limit
