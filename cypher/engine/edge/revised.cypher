// Purpose: applies an edge, or a change of one, in the graph: its present properties and its earlier slices. Idempotent; an older change
//   that comes late adds its slices and leaves what is newer. Both ends are of the user of the change.
// Parameters: revision {user_id (missing in commits of older releases), edge_id, edge_type, source_id, target_id, revision, own {properties, times} or null (nothing holds any
//   more), closed [slice_id], closed_at, added [{slice_id, properties, times}]}.
// Returns: edge_id; no row when the shell of an end is missing.
CYPHER 25
MATCH (source:Node {node_id: $revision.source_id}), (target:Node {node_id: $revision.target_id})
WHERE source.user_id = coalesce($revision.user_id, source.user_id) AND target.user_id = source.user_id
SET source.user_id = source.user_id  // takes the lock: two that apply the same edge would both make it
WITH source, target
CALL (source, target) {
  WITH source, target WHERE NOT EXISTS { (source)-[there:part.edge()]->(target) WHERE there.edge_id = $revision.edge_id }
  CREATE (source)-[:$(part.edge_type($revision.edge_type)) {edge_id: $revision.edge_id, edge_type: $revision.edge_type, revision: 0}]->(target)
}
MATCH (source)-[e:part.edge()]->(target) WHERE e.edge_id = $revision.edge_id
FOREACH (row IN $revision.added |
  MERGE (source)-[w:WAS_RELATED {slice_id: row.slice_id}]->(target)
  SET w += row.properties, w.edge_id = $revision.edge_id, w.edge_type = $revision.edge_type, w.valid_from = datetime(row.valid_from),
      w.valid_to = datetime(row.valid_to), w.known_from = datetime(row.known_from),
      w.known_to = coalesce(w.known_to, datetime(row.known_to)))
FOREACH (slice_id IN $revision.closed |
  MERGE (source)-[w:WAS_RELATED {slice_id: slice_id}]->(target)
  SET w.known_to = coalesce(w.known_to, datetime($revision.closed_at)))
FOREACH (own IN CASE WHEN coalesce(e.revision, 1) <= $revision.revision AND $revision.own IS NOT NULL THEN [$revision.own] ELSE [] END |
  SET e = own.properties
  SET e.edge_id = $revision.edge_id, e.edge_type = $revision.edge_type, e.valid_from = datetime(own.valid_from),
      e.valid_to = datetime(own.valid_to), e.known_from = datetime(own.known_from), e.revision = $revision.revision)
FOREACH (_ IN CASE WHEN coalesce(e.revision, 1) < $revision.revision AND $revision.own IS NULL THEN [1] ELSE [] END |
  SET e.known_to = datetime($revision.closed_at), e.revision = $revision.revision)
RETURN e.edge_id AS edge_id
