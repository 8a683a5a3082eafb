// Purpose: gives shells the vectors of a version, unless they were changed meanwhile. Operator only.
// Parameters: version, column and label (the slot's properties), rows [{node_id, revision, vector}]. Returns: filled.
CYPHER 25
UNWIND $rows AS row
MATCH (n:Node {node_id: row.node_id}) WHERE coalesce(n.revision, 1) = row.revision
SET n[$column] = row.vector, n[$label] = $version
RETURN count(*) AS filled
