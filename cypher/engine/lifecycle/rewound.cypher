// Purpose: takes shells back to before their first change, so that what Postgres says of them is taken for newer. Operator only.
// Parameters: nodes (ids). Returns: node_id.
UNWIND $nodes AS id
MATCH (n:Node {node_id: id})
SET n.revision = 0
WITH n
OPTIONAL MATCH (n)-[:WAS]->(p:Past)
OPTIONAL MATCH (:Node)-[h:HAD_CHILD]->(n)
DELETE h
DETACH DELETE p
RETURN DISTINCT n.node_id AS node_id
