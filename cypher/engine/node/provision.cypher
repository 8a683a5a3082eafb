// Purpose: writes the shell of a node with an empty manifest and hangs it below its parent. Both are of its user. Idempotent by node_id.
// Parameters: node {node_id, user_id, user_key, parent_id, name, name_key, node_type, label, layer, schema_name, summary, keywords,
//   aliases, alias_keys, embedding and embedding_version or embedding_b and embedding_b_version (the slot), created_at}.
// Returns: node_id; no row when the parent's shell is missing.
OPTIONAL MATCH (parent:Node {node_id: $node.parent_id})
WITH parent WHERE parent.user_id = $node.user_id OR $node.parent_id IS NULL
MERGE (n:Node {node_id: $node.node_id})
  ON CREATE SET
    n.user_id = $node.user_id, n.user_key = $node.user_key, n.parent_id = $node.parent_id,
    n.name = $node.name, n.name_key = $node.name_key, n.node_type = $node.node_type, n.layer = $node.layer,
    n.schema_name = $node.schema_name, n.summary = $node.summary, n.keywords = $node.keywords,
    n.aliases = $node.aliases, n.alias_keys = $node.alias_keys,
    n.embedding = $node.embedding, n.embedding_version = $node.embedding_version,
    n.embedding_b = $node.embedding_b, n.embedding_b_version = $node.embedding_b_version,
    n.state = 'active', n.records = 0, n.items = 0,
    n.created_at = datetime($node.created_at), n.last_accessed_at = datetime($node.created_at),
    n.known_from = datetime($node.created_at)
WITH n, parent WHERE n.user_id = $node.user_id
SET n:$($node.label)
WITH n, parent, EXISTS { (:Node)-[:HAS_CHILD]->(n) } AS hangs  // one that was moved meanwhile stays where it is
FOREACH (p IN CASE WHEN parent IS NULL OR hangs THEN [] ELSE [parent] END | MERGE (p)-[:HAS_CHILD]->(n))
RETURN n.node_id AS node_id
