// Purpose: the global edge registry of a user: every cross-node edge of which the principal may read both ends.
// Parameters: user_id (whose graph), principal and kind (who asks), as_of, known_at (the end of time is now),
//   earliest (of both that are asked for, else the end of time: readers other than the user see nothing from before their right),
//   limit, after (names of both ends, type and id of the edge before them, or four empty texts). Returns: a row an edge.
WITH $as_of AS as_of, part.rights() AS rights
MATCH (source:Node {user_id: $user_id})-[e:part.edge()|WAS_RELATED]->(target:Node {user_id: $user_id})
USING INDEX SEEK source:Node(user_id, name_key)  // else some plans look at the nodes of all users
WHERE source.name_key IS NOT NULL
  AND part.holds(e) AND part.readable(source) AND part.readable(target)
WITH e.edge_id AS edge_id, e.edge_type AS edge_type, source.node_id AS source_id, part.name_then(source) AS source_name,
       source.state AS source_state,
       target.node_id AS target_id, part.name_then(target) AS target_name, target.state AS target_state
WITH * WHERE [source_name, target_name, edge_type, edge_id] > $after
RETURN edge_id, edge_type, source_id, source_name, source_state, target_id, target_name, target_state
ORDER BY source_name, target_name, edge_type, edge_id LIMIT $limit
