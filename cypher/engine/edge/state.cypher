// Purpose: a relation as a reader sees it who may read both its ends, as they are listed: its properties at a moment.
// Parameters: user_id (whose graph), principal and kind (who asks), edge_id, as_of, known_at (the end of time, or null, is now), earliest (of both that are
//   asked for, else the end of time: readers other than the user see nothing from before their right).
// Returns: source_id, revision, properties (all of the slice at the moment); no row where it does not hold then, or may not be read.
WITH coalesce($as_of, datetime()) AS as_of
MATCH (source:Node)-[own:RELATED {edge_id: $edge_id}]->(target:Node)
WHERE source.user_id = $user_id AND target.user_id = $user_id
  AND ($principal = $user_id OR EXISTS { (source)<-[way:HAS_CHILD*0..5]-(a:Node) WHERE all(h IN way WHERE coalesce(endNode(h).placed_at <= $earliest, true)) AND (a.node_id = CASE WHEN $kind = 'persona' AND a:Persona THEN $principal END OR EXISTS { (a)<-[g:GRANTED]-(:Subject {subject_id: $principal, kind: $kind}) WHERE g.revoked_at IS NULL AND g.depth >= size(way) AND coalesce(g.expires_at > datetime(), true) AND (g.granted_at <= $earliest OR g.past) }) })
  AND ($principal = $user_id OR EXISTS { (target)<-[way:HAS_CHILD*0..5]-(a:Node) WHERE all(h IN way WHERE coalesce(endNode(h).placed_at <= $earliest, true)) AND (a.node_id = CASE WHEN $kind = 'persona' AND a:Persona THEN $principal END OR EXISTS { (a)<-[g:GRANTED]-(:Subject {subject_id: $principal, kind: $kind}) WHERE g.revoked_at IS NULL AND g.depth >= size(way) AND coalesce(g.expires_at > datetime(), true) AND (g.granted_at <= $earliest OR g.past) }) })
MATCH (source)-[e:RELATED|WAS_RELATED {edge_id: $edge_id}]->(target)
WHERE coalesce(e.known_from <= $known_at, true) AND coalesce(e.known_to > $known_at, e.known_to IS NULL)
  AND coalesce(e.valid_from <= as_of, true) AND coalesce(e.valid_to > as_of, true)
RETURN source.node_id AS source_id, coalesce(own.revision, 1) AS revision, properties(e) AS properties LIMIT 1
