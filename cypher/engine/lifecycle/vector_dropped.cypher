// Purpose: removes the names of versions from shells whose vector is missing, so that it is rebuilt. Operator only. Parameters: nodes. Returns: dropped.
UNWIND $nodes AS wanted
MATCH (n:Node {node_id: wanted})
SET n.embedding_version = CASE WHEN n.embedding IS NULL THEN null ELSE n.embedding_version END,
    n.embedding_b_version = CASE WHEN n.embedding_b IS NULL THEN null ELSE n.embedding_b_version END
RETURN count(n) AS dropped
