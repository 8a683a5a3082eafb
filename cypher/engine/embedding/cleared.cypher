// Purpose: takes the vectors of a version from shells, one batch. Operator only.
// Parameters: version, column and label (the slot's properties), limit. Returns: cleared.
CYPHER 25
MATCH (n:Node) WHERE n[$label] = $version
WITH n LIMIT $limit
SET n[$column] = null, n[$label] = null
RETURN count(*) AS cleared
