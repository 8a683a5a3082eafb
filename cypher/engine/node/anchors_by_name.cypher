// Purpose: every place where a name lives in a user's graph, with the path to each: the global view of one subject.
// Parameters: user_id (whose graph), principal and kind (who asks), key (normal form of the name), as_of, known_at (the end of time, or null, is now),
//   earliest (of both that are asked for, else the end of time: readers other than the user see nothing from before their right), skip (so many places), limit.
// Returns: node_id, name, node_type, layer, state, path, edges of each, whether it was archived at the moment; only what the principal may read.
WITH coalesce($as_of, datetime()) AS as_of
CALL (as_of) {
  MATCH (n:Node {user_id: $user_id})
  WHERE n.name_key IS NOT NULL  // lets the index on user and name find all of a user
    AND (n.name_key = $key OR $key IN n.alias_keys) AND NOT EXISTS { (n)-[:WAS]->(s:Past) WHERE coalesce(s.known_from <= $known_at, true) AND coalesce(s.known_to > $known_at, s.known_to IS NULL) AND coalesce(s.valid_from <= as_of, true) AND coalesce(s.valid_to > as_of, true) }
  RETURN n
  UNION
  MATCH (s:Past {user_id: $user_id, name_key: $key})<-[:WAS]-(n:Node)
  WHERE coalesce(s.known_from <= $known_at, true) AND coalesce(s.known_to > $known_at, s.known_to IS NULL) AND coalesce(s.valid_from <= as_of, true) AND coalesce(s.valid_to > as_of, true)
  RETURN n
}
WITH n, as_of
WHERE n.user_id = $user_id
  AND coalesce(n.known_from <= $known_at, true) AND coalesce(n.known_to > $known_at, n.known_to IS NULL)
  AND coalesce(n.valid_from <= as_of, true) AND coalesce(n.valid_to > as_of, true)
  AND ($principal = $user_id OR EXISTS { (n)<-[way:HAS_CHILD*0..5]-(a:Node) WHERE all(h IN way WHERE coalesce(endNode(h).placed_at <= $earliest, true)) AND (a.node_id = CASE WHEN $kind = 'persona' AND a:Persona THEN $principal END OR EXISTS { (a)<-[g:GRANTED]-(:Subject {subject_id: $principal, kind: $kind}) WHERE g.revoked_at IS NULL AND g.depth >= size(way) AND coalesce(g.expires_at > datetime(), true) AND (g.granted_at <= $earliest OR g.past) }) })
MATCH way_down = (:Node {node_id: $user_id})-[:HAS_CHILD|HAD_CHILD*0..5]->(n)
WHERE all(h IN relationships(way_down) WHERE coalesce(h.known_from <= $known_at, true) AND coalesce(h.known_to > $known_at, h.known_to IS NULL) AND coalesce(h.valid_from <= as_of, true) AND coalesce(h.valid_to > as_of, true))
WITH n, as_of, [p IN nodes(way_down) WHERE ($principal = $user_id OR EXISTS { (p)<-[way:HAS_CHILD*0..5]-(a:Node) WHERE all(h IN way WHERE coalesce(endNode(h).placed_at <= $earliest, true)) AND (a.node_id = CASE WHEN $kind = 'persona' AND a:Persona THEN $principal END OR EXISTS { (a)<-[g:GRANTED]-(:Subject {subject_id: $principal, kind: $kind}) WHERE g.revoked_at IS NULL AND g.depth >= size(way) AND coalesce(g.expires_at > datetime(), true) AND (g.granted_at <= $earliest OR g.past) }) }) | coalesce(head([(p)-[:WAS]->(s:Past) WHERE coalesce(s.known_from <= $known_at, true) AND coalesce(s.known_to > $known_at, s.known_to IS NULL) AND coalesce(s.valid_from <= as_of, true) AND coalesce(s.valid_to > as_of, true) | s.name]), p.name)] AS path ORDER BY path, n.node_id SKIP $skip LIMIT $limit
CALL (n, as_of) {
  MATCH (n)-[e:RELATED|WAS_RELATED]-(o:Node {user_id: $user_id})
  WHERE coalesce(e.known_from <= $known_at, true) AND coalesce(e.known_to > $known_at, e.known_to IS NULL)
    AND coalesce(e.valid_from <= as_of, true) AND coalesce(e.valid_to > as_of, true)
    AND ($principal = $user_id OR EXISTS { (o)<-[way:HAS_CHILD*0..5]-(a:Node) WHERE all(h IN way WHERE coalesce(endNode(h).placed_at <= $earliest, true)) AND (a.node_id = CASE WHEN $kind = 'persona' AND a:Persona THEN $principal END OR EXISTS { (a)<-[g:GRANTED]-(:Subject {subject_id: $principal, kind: $kind}) WHERE g.revoked_at IS NULL AND g.depth >= size(way) AND coalesce(g.expires_at > datetime(), true) AND (g.granted_at <= $earliest OR g.past) }) })
  WITH n, e, o ORDER BY e.edge_type, o.name_key LIMIT 50
  MATCH to_other = (:Node {node_id: $user_id})-[:HAS_CHILD|HAD_CHILD*0..5]->(o)
  WHERE all(h IN relationships(to_other) WHERE coalesce(h.known_from <= $known_at, true) AND coalesce(h.known_to > $known_at, h.known_to IS NULL) AND coalesce(h.valid_from <= as_of, true) AND coalesce(h.valid_to > as_of, true))
  RETURN collect({edge_type: e.edge_type, other_id: o.node_id, other_name: coalesce(head([(o)-[:WAS]->(s:Past) WHERE coalesce(s.known_from <= $known_at, true) AND coalesce(s.known_to > $known_at, s.known_to IS NULL) AND coalesce(s.valid_from <= as_of, true) AND coalesce(s.valid_to > as_of, true) | s.name]), o.name), other_state: o.state, outgoing: startNode(e) = n,
                  other_path: [p IN nodes(to_other) WHERE ($principal = $user_id OR EXISTS { (p)<-[way:HAS_CHILD*0..5]-(a:Node) WHERE all(h IN way WHERE coalesce(endNode(h).placed_at <= $earliest, true)) AND (a.node_id = CASE WHEN $kind = 'persona' AND a:Persona THEN $principal END OR EXISTS { (a)<-[g:GRANTED]-(:Subject {subject_id: $principal, kind: $kind}) WHERE g.revoked_at IS NULL AND g.depth >= size(way) AND coalesce(g.expires_at > datetime(), true) AND (g.granted_at <= $earliest OR g.past) }) }) | coalesce(head([(p)-[:WAS]->(s:Past) WHERE coalesce(s.known_from <= $known_at, true) AND coalesce(s.known_to > $known_at, s.known_to IS NULL) AND coalesce(s.valid_from <= as_of, true) AND coalesce(s.valid_to > as_of, true) | s.name]), p.name)]}) AS edges
}
RETURN n.node_id AS node_id, coalesce(head([(n)-[:WAS]->(s:Past) WHERE coalesce(s.known_from <= $known_at, true) AND coalesce(s.known_to > $known_at, s.known_to IS NULL) AND coalesce(s.valid_from <= as_of, true) AND coalesce(s.valid_to > as_of, true) | s.name]), n.name) AS name, n.node_type AS node_type, n.layer AS layer, n.state AS state, path, edges,
       size([t IN coalesce(n.archivings, []) WHERE t <= CASE WHEN $known_at < as_of THEN $known_at ELSE as_of END]) % 2 = 1 AS archived
