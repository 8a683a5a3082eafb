// Purpose: sets names and parents of shells to those of the registry; one that was taken back gets its first fields again. Operator only,
//   all users. Idempotent. Parameters: nodes [{node_id, parent_id, name, name_key, layer, valid_from, valid_to, known_from (times of a new link, or
//   null), said {summary, keywords, aliases, alias_keys} or null}]. Returns: node_id.
UNWIND $nodes AS row
MATCH (n:Node {node_id: row.node_id})
SET n.name = row.name, n.name_key = row.name_key, n.layer = row.layer, n.parent_id = row.parent_id
FOREACH (said IN CASE WHEN n.revision = 0 AND row.said IS NOT NULL THEN [row.said] ELSE [] END |
  SET n.summary = said.summary, n.keywords = said.keywords, n.aliases = said.aliases, n.alias_keys = said.alias_keys,
      n.embedding = null, n.embedding_version = null, n.embedding_b = null, n.embedding_b_version = null)
SET n.revision = CASE n.revision WHEN 0 THEN 1 ELSE n.revision END
WITH n, row
CALL (n, row) {
  MATCH (old:Node)-[h:HAS_CHILD]->(n) WHERE row.parent_id IS NULL OR old.node_id <> row.parent_id
  DELETE h
}
OPTIONAL MATCH (parent:Node {node_id: row.parent_id})
FOREACH (p IN CASE WHEN parent IS NULL THEN [] ELSE [parent] END |
  MERGE (p)-[h:HAS_CHILD]->(n)
    ON CREATE SET h.valid_from = datetime(row.valid_from), h.valid_to = datetime(row.valid_to), h.known_from = datetime(row.known_from))
RETURN n.node_id AS node_id
