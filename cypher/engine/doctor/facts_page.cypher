// Purpose: facts of the graph, one page. Operator only, all users. Parameters: after (fact id), limit. Returns: fact_id, user_id.
MATCH (f:Fact) WHERE f.fact_id > $after
RETURN f.fact_id AS fact_id, f.user_id AS user_id ORDER BY fact_id LIMIT $limit
