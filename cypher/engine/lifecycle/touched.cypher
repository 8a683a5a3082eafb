// Purpose: when something of these nodes was last returned, on their shells; a time that is later already stays. Runs as the service.
// Parameters: touched [{node_id, at}]. Returns: how many shells were changed.
UNWIND $touched AS one
MATCH (n:Node {node_id: one.node_id})
WHERE n.last_accessed_at IS NULL OR n.last_accessed_at < one.at
SET n.last_accessed_at = one.at
RETURN count(n) AS touched
