// Purpose: the shell of one node: identity, path, children with their states, cross-node edges, newest manifest lines.
//   A reader who is not the user sees no trace of what may not be read: names on the way, children, edges, counts.
// Parameters: user_id (whose graph), principal and kind (who asks), node_id, as_of, known_at (the end of time, or null, is now), earliest (of both that are asked for, else the end of time: readers other than the user see nothing from before their right), entries (manifest lines at most),
//   children (at most), children_after (name and id of the last child before them, or two empty texts).
// Returns: one row, or none when the node is missing or not readable.
WITH coalesce($as_of, datetime()) AS as_of
MATCH (n:Node {node_id: $node_id})
WHERE n.user_id = $user_id
  AND ($principal = $user_id OR EXISTS { (n)<-[way:HAS_CHILD*0..5]-(a:Node) WHERE all(h IN way WHERE coalesce(endNode(h).placed_at <= $earliest, true)) AND (a.node_id = CASE WHEN $kind = 'persona' AND a:Persona THEN $principal END OR EXISTS { (a)<-[g:GRANTED]-(:Subject {subject_id: $principal, kind: $kind}) WHERE g.revoked_at IS NULL AND g.depth >= size(way) AND coalesce(g.expires_at > datetime(), true) AND (g.granted_at <= $earliest OR g.past) }) })
  AND coalesce(n.known_from <= $known_at, true) AND coalesce(n.known_to > $known_at, n.known_to IS NULL)
  AND coalesce(n.valid_from <= as_of, true) AND coalesce(n.valid_to > as_of, true)
MATCH way_down = (:Node {node_id: $user_id})-[:HAS_CHILD|HAD_CHILD*0..5]->(n)
WHERE all(h IN relationships(way_down) WHERE coalesce(h.known_from <= $known_at, true) AND coalesce(h.known_to > $known_at, h.known_to IS NULL) AND coalesce(h.valid_from <= as_of, true) AND coalesce(h.valid_to > as_of, true))
OPTIONAL MATCH (n)-[:WAS]->(was:Past)
WHERE coalesce(was.known_from <= $known_at, true) AND coalesce(was.known_to > $known_at, was.known_to IS NULL) AND coalesce(was.valid_from <= as_of, true) AND coalesce(was.valid_to > as_of, true)
WITH n, was, as_of, CASE WHEN length(way_down) > 0 THEN nodes(way_down)[-2] END AS parent, length(way_down) AS length, [p IN nodes(way_down) WHERE ($principal = $user_id OR EXISTS { (p)<-[way:HAS_CHILD*0..5]-(a:Node) WHERE all(h IN way WHERE coalesce(endNode(h).placed_at <= $earliest, true)) AND (a.node_id = CASE WHEN $kind = 'persona' AND a:Persona THEN $principal END OR EXISTS { (a)<-[g:GRANTED]-(:Subject {subject_id: $principal, kind: $kind}) WHERE g.revoked_at IS NULL AND g.depth >= size(way) AND coalesce(g.expires_at > datetime(), true) AND (g.granted_at <= $earliest OR g.past) }) }) | p] AS above,
  ($principal = $user_id OR EXISTS { (n)<-[way:HAS_CHILD*0..5]-(a:Node) WHERE all(h IN way WHERE coalesce(endNode(h).placed_at <= $earliest, true)) AND (a.node_id = CASE WHEN $kind = 'persona' AND a:Persona THEN $principal END OR EXISTS { (a)<-[g:GRANTED]-(:Subject {subject_id: $principal, kind: $kind}) WHERE g.revoked_at IS NULL AND 'records' IN g.fields AND g.depth >= size(way) AND coalesce(g.expires_at > datetime(), true) AND (g.granted_at <= $earliest OR g.past) }) }) AS holdings,
  ($principal = $user_id OR EXISTS { (n)<-[way:HAS_CHILD*0..5]-(a:Node) WHERE all(h IN way WHERE coalesce(endNode(h).placed_at <= $earliest, true)) AND (a.node_id = CASE WHEN $kind = 'persona' AND a:Persona THEN $principal END OR EXISTS { (a)<-[g:GRANTED]-(:Subject {subject_id: $principal, kind: $kind}) WHERE g.revoked_at IS NULL AND 'files' IN g.fields AND g.depth >= size(way) AND coalesce(g.expires_at > datetime(), true) AND (g.granted_at <= $earliest OR g.past) }) }) AS files
CALL (n, as_of) {
  MATCH (n)-[h:HAS_CHILD|HAD_CHILD]->(c:Node)
  WHERE coalesce(h.known_from <= $known_at, true) AND coalesce(h.known_to > $known_at, h.known_to IS NULL) AND coalesce(h.valid_from <= as_of, true) AND coalesce(h.valid_to > as_of, true)
    AND c.user_id = $user_id AND coalesce(c.known_from <= $known_at, true) AND coalesce(c.known_to > $known_at, c.known_to IS NULL)
    AND coalesce(c.valid_from <= as_of, true) AND coalesce(c.valid_to > as_of, true)
    AND ($principal = $user_id OR EXISTS { (c)<-[way:HAS_CHILD*0..5]-(a:Node) WHERE all(h IN way WHERE coalesce(endNode(h).placed_at <= $earliest, true)) AND (a.node_id = CASE WHEN $kind = 'persona' AND a:Persona THEN $principal END OR EXISTS { (a)<-[g:GRANTED]-(:Subject {subject_id: $principal, kind: $kind}) WHERE g.revoked_at IS NULL AND g.depth >= size(way) AND coalesce(g.expires_at > datetime(), true) AND (g.granted_at <= $earliest OR g.past) }) })
  WITH DISTINCT c, as_of, coalesce(head([(c)-[:WAS]->(s:Past) WHERE coalesce(s.known_from <= $known_at, true) AND coalesce(s.known_to > $known_at, s.known_to IS NULL) AND coalesce(s.valid_from <= as_of, true) AND coalesce(s.valid_to > as_of, true) | s.name]), c.name) AS called
  WITH c, as_of, called WHERE [called, c.node_id] > $children_after
  WITH c, as_of, called ORDER BY called, c.node_id LIMIT $children
  WITH c, as_of, called, ($principal = $user_id OR EXISTS { (c)<-[way:HAS_CHILD*0..5]-(a:Node) WHERE all(h IN way WHERE coalesce(endNode(h).placed_at <= $earliest, true)) AND (a.node_id = CASE WHEN $kind = 'persona' AND a:Persona THEN $principal END OR EXISTS { (a)<-[g:GRANTED]-(:Subject {subject_id: $principal, kind: $kind}) WHERE g.revoked_at IS NULL AND 'records' IN g.fields AND g.depth >= size(way) AND coalesce(g.expires_at > datetime(), true) AND (g.granted_at <= $earliest OR g.past) }) }) AS holds
  RETURN collect({node_id: c.node_id, name: called, node_type: c.node_type, layer: c.layer, state: c.state,
                  archived: size([t IN coalesce(c.archivings, []) WHERE t <= CASE WHEN $known_at < as_of THEN $known_at ELSE as_of END]) % 2 = 1,
                  records: CASE WHEN $principal = $user_id THEN c.records
                                WHEN holds THEN c.records - coalesce(c.private_records, 0) ELSE 0 END,
                  children: COUNT { (c)-[h:HAS_CHILD|HAD_CHILD]->(d:Node) WHERE coalesce(h.known_from <= $known_at, true) AND coalesce(h.known_to > $known_at, h.known_to IS NULL) AND coalesce(h.valid_from <= as_of, true) AND coalesce(h.valid_to > as_of, true) AND ($principal = $user_id OR EXISTS { (d)<-[way:HAS_CHILD*0..5]-(a:Node) WHERE all(h IN way WHERE coalesce(endNode(h).placed_at <= $earliest, true)) AND (a.node_id = CASE WHEN $kind = 'persona' AND a:Persona THEN $principal END OR EXISTS { (a)<-[g:GRANTED]-(:Subject {subject_id: $principal, kind: $kind}) WHERE g.revoked_at IS NULL AND g.depth >= size(way) AND coalesce(g.expires_at > datetime(), true) AND (g.granted_at <= $earliest OR g.past) }) }) }}) AS children
}
CALL (n, as_of) {
  MATCH (n)-[e:RELATED|WAS_RELATED]-(o:Node)
  WHERE o.user_id = $user_id AND coalesce(e.known_from <= $known_at, true) AND coalesce(e.known_to > $known_at, e.known_to IS NULL)
    AND coalesce(e.valid_from <= as_of, true) AND coalesce(e.valid_to > as_of, true)
    AND ($principal = $user_id OR EXISTS { (o)<-[way:HAS_CHILD*0..5]-(a:Node) WHERE all(h IN way WHERE coalesce(endNode(h).placed_at <= $earliest, true)) AND (a.node_id = CASE WHEN $kind = 'persona' AND a:Persona THEN $principal END OR EXISTS { (a)<-[g:GRANTED]-(:Subject {subject_id: $principal, kind: $kind}) WHERE g.revoked_at IS NULL AND g.depth >= size(way) AND coalesce(g.expires_at > datetime(), true) AND (g.granted_at <= $earliest OR g.past) }) })
  WITH n, e, o ORDER BY e.edge_type, o.name_key LIMIT 200
  MATCH to_other = (:Node {node_id: $user_id})-[:HAS_CHILD|HAD_CHILD*0..5]->(o)
  WHERE all(h IN relationships(to_other) WHERE coalesce(h.known_from <= $known_at, true) AND coalesce(h.known_to > $known_at, h.known_to IS NULL) AND coalesce(h.valid_from <= as_of, true) AND coalesce(h.valid_to > as_of, true))
  RETURN collect({edge_type: e.edge_type, other_id: o.node_id, other_name: coalesce(head([(o)-[:WAS]->(s:Past) WHERE coalesce(s.known_from <= $known_at, true) AND coalesce(s.known_to > $known_at, s.known_to IS NULL) AND coalesce(s.valid_from <= as_of, true) AND coalesce(s.valid_to > as_of, true) | s.name]), o.name), other_state: o.state, outgoing: startNode(e) = n,
                  other_path: [p IN nodes(to_other) WHERE ($principal = $user_id OR EXISTS { (p)<-[way:HAS_CHILD*0..5]-(a:Node) WHERE all(h IN way WHERE coalesce(endNode(h).placed_at <= $earliest, true)) AND (a.node_id = CASE WHEN $kind = 'persona' AND a:Persona THEN $principal END OR EXISTS { (a)<-[g:GRANTED]-(:Subject {subject_id: $principal, kind: $kind}) WHERE g.revoked_at IS NULL AND g.depth >= size(way) AND coalesce(g.expires_at > datetime(), true) AND (g.granted_at <= $earliest OR g.past) }) }) | coalesce(head([(p)-[:WAS]->(s:Past) WHERE coalesce(s.known_from <= $known_at, true) AND coalesce(s.known_to > $known_at, s.known_to IS NULL) AND coalesce(s.valid_from <= as_of, true) AND coalesce(s.valid_to > as_of, true) | s.name]), p.name)]}) AS edges
}
CALL (n, as_of, holdings, files) {
  MATCH (n)-[:HOLDS]->(r:Record)
  WHERE holdings AND ($principal = $user_id OR coalesce(r.privacy, 'org') <> 'private')
    AND ($principal = $user_id OR coalesce(r.moved_at <= $earliest, r.moved_revision IS NULL OR $earliest > datetime()))
  OPTIONAL MATCH (r)-[:WAS]->(s:Past)
  WHERE coalesce(s.known_from <= $known_at, true) AND coalesce(s.known_to > $known_at, s.known_to IS NULL) AND coalesce(s.valid_from <= as_of, true) AND coalesce(s.valid_to > as_of, true)
  WITH r, s WHERE s IS NOT NULL OR coalesce(r.known_from <= $known_at, true) AND coalesce(r.known_to > $known_at, r.known_to IS NULL) AND coalesce(r.valid_from <= as_of, true) AND coalesce(r.valid_to > as_of, true)
  WITH r, s ORDER BY coalesce(r.since, r.known_from) DESC, r.record_id LIMIT $entries
  RETURN collect({record_id: r.record_id, title: coalesce(s.title, r.title), content_type: r.content_type,
                  file_id: CASE WHEN files THEN r.file_id END, file_name: CASE WHEN files THEN r.file_name END, occurred_at: CASE WHEN s IS NULL THEN r.occurred_at ELSE s.occurred_at END}) AS manifest
}
RETURN n {.node_id, .user_id, .node_type, .state, .created_at, .last_accessed_at, layer: length,
          archived: size([t IN coalesce(n.archivings, []) WHERE t <= CASE WHEN $known_at < as_of THEN $known_at ELSE as_of END]) % 2 = 1,
          name: coalesce(was.name, n.name), summary: coalesce(was.summary, n.summary), keywords: coalesce(was.keywords, n.keywords),
          aliases: coalesce(was.aliases, n.aliases), revision: CASE WHEN $principal = $user_id THEN coalesce(n.revision, 1) END,
          parent_id: head([p IN above WHERE p = parent | p.node_id]),
          schema_name: CASE WHEN $principal = $user_id THEN n.schema_name END,
          records: CASE WHEN $principal = $user_id THEN n.records
                        WHEN holdings THEN n.records - coalesce(n.private_records, 0) ELSE 0 END,
          items: CASE WHEN $principal = $user_id THEN n.items
                      WHEN holdings THEN n.items - coalesce(n.private_items, 0) ELSE 0 END} AS node,
       [p IN above | coalesce(head([(p)-[:WAS]->(s:Past) WHERE coalesce(s.known_from <= $known_at, true) AND coalesce(s.known_to > $known_at, s.known_to IS NULL) AND coalesce(s.valid_from <= as_of, true) AND coalesce(s.valid_to > as_of, true) | s.name]), p.name)] AS path, children, edges, manifest
