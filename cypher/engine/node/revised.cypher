// Purpose: applies a change of a node in the graph: its present fields, its earlier slices, its parent. Idempotent; an
//   older change that comes late adds its slices and leaves what is newer. All are of the user of the change.
// Parameters: revision {node_id, user_id, revision, own {fields, name_key, alias_keys, vector and version in their slot, parent_id, times},
//   closed [slice_id], closed_at, added [{slice_id, fields, parent_id, times}], layers [{node_id, layer}],
//   archivings [{node_id, times}] of the nodes that it archives or takes back, where it does}.
// Returns: node_id; no row when the node's shell or its parent's is missing.
MATCH (n:Node {node_id: $revision.node_id})
WHERE n.user_id = $revision.user_id
OPTIONAL MATCH (above:Node {node_id: $revision.own.parent_id})
WHERE above.user_id = $revision.user_id
WITH n, above WHERE above IS NOT NULL OR $revision.own.parent_id IS NULL
CALL (n) {
  UNWIND $revision.added AS row
  MERGE (p:Past {slice_id: row.slice_id})
  WITH n, p, row WHERE coalesce(p.user_id = $revision.user_id, true)  // one that an older release closed early has none
  SET p.user_id = $revision.user_id, p.name = row.name, p.name_key = row.name_key, p.summary = row.summary, p.keywords = row.keywords,
      p.aliases = row.aliases, p.valid_from = datetime(row.valid_from), p.valid_to = datetime(row.valid_to),
      p.known_from = datetime(row.known_from), p.known_to = coalesce(p.known_to, datetime(row.known_to))
  MERGE (n)-[:WAS]->(p)
  WITH n, p, row
  MATCH (parent:Node {node_id: row.parent_id})
  WHERE parent.user_id = $revision.user_id
  MERGE (parent)-[h:HAD_CHILD {slice_id: row.slice_id}]->(n)
  SET h.valid_from = p.valid_from, h.valid_to = p.valid_to, h.known_from = p.known_from, h.known_to = p.known_to
  RETURN count(*) AS added
}
CALL () {
  UNWIND $revision.closed AS slice_id
  MERGE (p:Past {slice_id: slice_id}) ON CREATE SET p.user_id = $revision.user_id
  WITH slice_id, p WHERE coalesce(p.user_id = $revision.user_id, true)
  SET p.known_to = coalesce(p.known_to, datetime($revision.closed_at))
  WITH slice_id, p
  OPTIONAL MATCH ()-[h:HAD_CHILD {slice_id: slice_id}]->()
  SET h.known_to = p.known_to
  RETURN count(*) AS closed
}
WITH n, above, coalesce(n.revision, 1) < $revision.revision AS newer
CALL (n, above, newer) {
  WITH n, above, newer WHERE newer
  SET n.revision = $revision.revision, n.name = $revision.own.name, n.name_key = $revision.own.name_key, n.summary = $revision.own.summary,
      n.keywords = $revision.own.keywords, n.aliases = $revision.own.aliases, n.alias_keys = $revision.own.alias_keys,
      n.embedding = $revision.own.embedding, n.embedding_version = $revision.own.embedding_version, n.embedding_b = $revision.own.embedding_b,
      n.embedding_b_version = $revision.own.embedding_b_version, n.parent_id = $revision.own.parent_id,
      n.archived = $revision.own.archived  // the vector of the old words is gone
  WITH n, above
  OPTIONAL MATCH (old:Node)-[h:HAS_CHILD]->(n) WHERE old <> above
  FOREACH (_ IN CASE WHEN h IS NULL THEN [] ELSE [1] END | SET n.placed_at = datetime($revision.closed_at))
  DELETE h
  WITH DISTINCT n, above
  FOREACH (parent IN CASE WHEN above IS NULL THEN [] ELSE [above] END |
    MERGE (parent)-[h:HAS_CHILD]->(n)
    SET h.valid_from = datetime($revision.own.valid_from), h.valid_to = datetime($revision.own.valid_to),
        h.known_from = datetime($revision.own.known_from))
  WITH n
  UNWIND $revision.layers AS row
  MATCH (d:Node {node_id: row.node_id}) WHERE d.user_id = $revision.user_id SET d.layer = row.layer
  RETURN count(*) AS moved
}
CALL () {
  UNWIND coalesce($revision.archivings, []) AS row
  MATCH (a:Node {node_id: row.node_id})
  WHERE a.user_id = $revision.user_id AND size(coalesce(a.archivings, [])) < size(row.times)
  SET a.archivings = [t IN row.times | datetime(t)]
  RETURN count(*) AS archived
}
RETURN n.node_id AS node_id
