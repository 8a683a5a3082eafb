// Purpose: an edge as a reader sees it who may read both its ends, as they are listed: its properties at a moment.
// Parameters: user_id (whose graph), principal and kind (who asks), edge_id, as_of, known_at (the end of time is now),
//   earliest (of both that are asked for, else the end of time: readers other than the user see nothing from before their right).
// Returns: source_id, revision, properties (all of the slice at the moment); no row where it does not hold then, or may not be read.
WITH $as_of AS as_of, part.rights() AS rights
MATCH (source:Node)-[own:part.edge() {edge_id: $edge_id}]->(target:Node)
WHERE source.user_id = $user_id AND target.user_id = $user_id
  AND part.readable(source) AND part.readable(target)
WITH as_of, source, own, target LIMIT 1  // one by its key: else some plans look at the earlier states of all edges
MATCH (source)-[e:part.edge()|WAS_RELATED {edge_id: $edge_id}]->(target)
WHERE part.holds(e)
RETURN source.node_id AS source_id, coalesce(own.revision, 1) AS revision, properties(e) AS properties LIMIT 1
