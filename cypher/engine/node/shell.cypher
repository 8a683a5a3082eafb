// Purpose: the shell of one node: identity, path, children with their states, cross-node edges, newest manifest lines.
//   A reader who is not the user sees no trace of what may not be read: names on the way, children, edges, counts.
// Parameters: user_id (whose graph), principal and kind (who asks), node_id, as_of, known_at (the end of time is now),
//   earliest (of both that are asked for, else the end of time: readers other than the user see nothing from before their right),
//   entries (manifest lines at most), children (at most), children_after (name and id of the last child before them, or two empty texts).
// Returns: the columns of Shell, or no row when the node is missing or not readable.
WITH $as_of AS as_of, part.rights() AS rights
MATCH (n:Node {node_id: $node_id})
WHERE n.user_id = $user_id AND part.readable(n) AND part.holds(n)
MATCH way_down = (:Node {node_id: $user_id})-[:HAS_CHILD|HAD_CHILD*0..5]->(n)
WHERE all(h IN relationships(way_down) WHERE part.holds(h))
OPTIONAL MATCH (n)-[:WAS]->(was:Past) WHERE part.holds(was)
WITH n, was, as_of, rights, CASE WHEN length(way_down) > 0 THEN nodes(way_down)[-2] END AS parent, length(way_down) AS length,
     [p IN nodes(way_down) WHERE part.readable(p) | p] AS above, part.opened(n, 'records') AS holdings, part.opened(n, 'files') AS files
CALL (n, as_of, rights) {
  MATCH (n)-[h:HAS_CHILD|HAD_CHILD]->(c:Node)
  WHERE part.holds(h) AND c.user_id = $user_id AND part.holds(c) AND part.readable(c)
  WITH DISTINCT c, as_of, rights, part.name_then(c) AS called
  WITH c, as_of, rights, called WHERE [called, c.node_id] > $children_after
  WITH c, as_of, rights, called ORDER BY called, c.node_id LIMIT $children
  WITH c, as_of, rights, called, part.opened(c, 'records') AS holds
  RETURN collect({node_id: c.node_id, name: called, node_type: c.node_type, layer: c.layer, state: c.state,
                  archived: part.archived(c),
                  records: CASE WHEN $principal = $user_id THEN c.records
                                WHEN holds THEN c.records - coalesce(c.private_records, 0) ELSE 0 END,
                  children: COUNT { (c)-[h:HAS_CHILD|HAD_CHILD]->(d:Node) WHERE part.holds(h) AND part.readable(d) }}) AS children
}
CALL (n, as_of, rights) {
  MATCH (n)-[e:part.edge()|WAS_RELATED]-(o:Node)
  WHERE o.user_id = $user_id AND part.holds(e) AND part.readable(o)
  WITH n, as_of, rights, e, o ORDER BY e.edge_type, o.name_key LIMIT 200
  MATCH to_other = (:Node {node_id: $user_id})-[:HAS_CHILD|HAD_CHILD*0..5]->(o)
  WHERE all(h IN relationships(to_other) WHERE part.holds(h))
  RETURN collect({edge_type: e.edge_type, other_id: o.node_id, other_name: part.name_then(o), other_state: o.state,
                  outgoing: startNode(e) = n, other_path: [p IN nodes(to_other) WHERE part.readable(p) | part.name_then(p)]}) AS edges
}
CALL (n, as_of, holdings, files) {
  MATCH (n)-[:HOLDS]->(r:Record)
  WHERE holdings AND ($principal = $user_id OR coalesce(r.privacy, 'org') <> 'private')
    AND ($principal = $user_id OR coalesce(r.moved_at <= $earliest, r.moved_revision IS NULL OR $earliest > datetime()))
  OPTIONAL MATCH (r)-[:WAS]->(s:Past) WHERE part.holds(s)
  WITH r, s WHERE s IS NOT NULL OR part.holds(r)
  WITH r, s ORDER BY coalesce(r.since, r.known_from) DESC, r.record_id LIMIT $entries
  RETURN collect({record_id: r.record_id, title: coalesce(s.title, r.title), content_type: r.content_type,
                  file_id: CASE WHEN files THEN r.file_id END, file_name: CASE WHEN files THEN r.file_name END,
                  occurred_at: CASE WHEN s IS NULL THEN r.occurred_at ELSE s.occurred_at END}) AS manifest
}
RETURN n.node_id AS node_id, n.user_id AS user_id, n.node_type AS node_type, n.state AS state, n.created_at AS created_at,
       CASE WHEN $principal = $user_id THEN n.last_accessed_at END AS last_accessed_at, length AS layer, part.archived(n) AS archived,
       coalesce(was.name, n.name) AS name, coalesce(was.summary, n.summary) AS summary, coalesce(was.keywords, n.keywords) AS keywords,
       coalesce(was.aliases, n.aliases) AS aliases, CASE WHEN $principal = $user_id THEN coalesce(n.revision, 1) END AS revision,
       head([p IN above WHERE p = parent | p.node_id]) AS parent_id, CASE WHEN $principal = $user_id THEN n.schema_name END AS schema_name,
       CASE WHEN $principal = $user_id THEN n.records WHEN holdings THEN n.records - coalesce(n.private_records, 0) ELSE 0 END AS records,
       CASE WHEN $principal = $user_id THEN n.items WHEN holdings THEN n.items - coalesce(n.private_items, 0) ELSE 0 END AS items,
       [p IN above | part.name_then(p)] AS path, children, edges, manifest
