// Purpose: gives a shell what the registry says of it, and hangs it below its parent alone. Operator only. Idempotent.
// Parameters: node {node_id, user_id, parent_id, name, name_key, node_type, label, layer, schema_name}. Returns: node_id; no row when it or its parent is missing.
CYPHER 25
MATCH (n:Node {node_id: $node.node_id})
OPTIONAL MATCH (parent:Node {node_id: $node.parent_id})
WITH n, parent WHERE parent IS NOT NULL OR $node.parent_id IS NULL
SET n.user_id = $node.user_id, n.parent_id = $node.parent_id, n.name = $node.name, n.name_key = $node.name_key,
    n.node_type = $node.node_type, n.layer = $node.layer, n.schema_name = $node.schema_name
SET n:$($node.label)
WITH n, parent
OPTIONAL MATCH (other:Node)-[wrong:HAS_CHILD]->(n) WHERE parent IS NULL OR other <> parent
DELETE wrong
WITH DISTINCT n, parent
FOREACH (p IN CASE WHEN parent IS NULL THEN [] ELSE [parent] END | MERGE (p)-[:HAS_CHILD]->(n))
RETURN n.node_id AS node_id
