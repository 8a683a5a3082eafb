// Purpose: the global edge registry of a user: every cross-node edge of which the principal may read both ends.
// Parameters: user_id (whose graph), principal and kind (who asks), as_of, known_at (the end of time, or null, is now), earliest (of both that are asked for, else the end of time: readers other than the user see nothing from before their right), limit, after (names of both
//   ends, type and id of the edge before them, or null). Returns: a row an edge.
WITH coalesce($as_of, datetime()) AS as_of
MATCH (source:Node {user_id: $user_id})-[e:RELATED|WAS_RELATED]->(target:Node {user_id: $user_id})
WHERE source.name_key IS NOT NULL  // lets the index on user and name find all of a user
  AND coalesce(e.known_from <= $known_at, true) AND coalesce(e.known_to > $known_at, e.known_to IS NULL)
  AND coalesce(e.valid_from <= as_of, true) AND coalesce(e.valid_to > as_of, true)
  AND ($principal = $user_id OR EXISTS { (source)<-[way:HAS_CHILD*0..5]-(a:Node) WHERE all(h IN way WHERE coalesce(endNode(h).placed_at <= $earliest, true)) AND (a.node_id = CASE WHEN $kind = 'persona' AND a:Persona THEN $principal END OR EXISTS { (a)<-[g:GRANTED]-(:Subject {subject_id: $principal, kind: $kind}) WHERE g.revoked_at IS NULL AND g.depth >= size(way) AND coalesce(g.expires_at > datetime(), true) AND (g.granted_at <= $earliest OR g.past) }) })
  AND ($principal = $user_id OR EXISTS { (target)<-[way:HAS_CHILD*0..5]-(a:Node) WHERE all(h IN way WHERE coalesce(endNode(h).placed_at <= $earliest, true)) AND (a.node_id = CASE WHEN $kind = 'persona' AND a:Persona THEN $principal END OR EXISTS { (a)<-[g:GRANTED]-(:Subject {subject_id: $principal, kind: $kind}) WHERE g.revoked_at IS NULL AND g.depth >= size(way) AND coalesce(g.expires_at > datetime(), true) AND (g.granted_at <= $earliest OR g.past) }) })
WITH e.edge_id AS edge_id, e.edge_type AS edge_type, source.node_id AS source_id, coalesce(head([(source)-[:WAS]->(s:Past) WHERE coalesce(s.known_from <= $known_at, true) AND coalesce(s.known_to > $known_at, s.known_to IS NULL) AND coalesce(s.valid_from <= as_of, true) AND coalesce(s.valid_to > as_of, true) | s.name]), source.name) AS source_name, source.state AS source_state,
       target.node_id AS target_id, coalesce(head([(target)-[:WAS]->(s:Past) WHERE coalesce(s.known_from <= $known_at, true) AND coalesce(s.known_to > $known_at, s.known_to IS NULL) AND coalesce(s.valid_from <= as_of, true) AND coalesce(s.valid_to > as_of, true) | s.name]), target.name) AS target_name, target.state AS target_state
WITH * WHERE $after IS NULL OR [source_name, target_name, edge_type, edge_id] > $after
RETURN edge_id, edge_type, source_id, source_name, source_state, target_id, target_name, target_state
ORDER BY source_name, target_name, edge_type, edge_id LIMIT $limit
