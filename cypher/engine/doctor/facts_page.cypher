// Purpose: facts of the graph, one page. Operator only, all users. Parameters: after (fact id), limit. Returns: fact_id, user_id, node_id.
MATCH (f:Fact) WHERE f.fact_id > $after
RETURN f.fact_id AS fact_id, f.user_id AS user_id, f.node_id AS node_id ORDER BY fact_id LIMIT $limit
