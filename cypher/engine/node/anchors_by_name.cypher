// Purpose: every place where a name lives in a user's graph, with the path to each: the global view of one subject.
// Parameters: user_id (whose graph), principal and kind (who asks), key (normal form of the name), as_of, known_at (the end of time is now),
//   earliest (of both that are asked for, else the end of time: readers other than the user see nothing from before their right),
//   skip (so many places), limit.
// Returns: the columns of Anchor for each, whether it was archived at the moment; only what the principal may read.
WITH $as_of AS as_of, part.rights() AS rights
CALL (as_of) {
  MATCH (n:Node {user_id: $user_id})
  WHERE n.name_key IS NOT NULL  // lets the index on user and name find all of a user
    AND (n.name_key = $key OR $key IN n.alias_keys)
    AND NOT EXISTS { (n)-[:WAS]->(s:Past) WHERE part.holds(s) }
  RETURN n
  UNION
  MATCH (s:Past {user_id: $user_id, name_key: $key})<-[:WAS]-(n:Node)
  WHERE part.holds(s)
  RETURN n
}
WITH n, as_of, rights
WHERE n.user_id = $user_id AND part.holds(n) AND part.readable(n)
MATCH way_down = (:Node {node_id: $user_id})-[:HAS_CHILD|HAD_CHILD*0..5]->(n)
WHERE all(h IN relationships(way_down) WHERE part.holds(h))
WITH n, as_of, rights, [p IN nodes(way_down) WHERE part.readable(p) | part.name_then(p)] AS path
ORDER BY path, n.node_id SKIP $skip LIMIT $limit
CALL (n, as_of, rights) {
  MATCH (n)-[e:part.edge()|WAS_RELATED]-(o:Node {user_id: $user_id})
  WHERE part.holds(e) AND part.readable(o)
  WITH n, as_of, rights, e, o ORDER BY e.edge_type, o.name_key LIMIT 50
  MATCH to_other = (:Node {node_id: $user_id})-[:HAS_CHILD|HAD_CHILD*0..5]->(o)
  WHERE all(h IN relationships(to_other) WHERE part.holds(h))
  RETURN collect({edge_type: e.edge_type, other_id: o.node_id, other_name: part.name_then(o), other_state: o.state,
                  outgoing: startNode(e) = n, other_path: [p IN nodes(to_other) WHERE part.readable(p) | part.name_then(p)]}) AS edges
}
RETURN n.node_id AS node_id, part.name_then(n) AS name, part.summary_then(n) AS summary, n.node_type AS node_type, n.layer AS layer,
       n.state AS state, path, edges, 1.0 AS score, ['name'] AS reasons, part.archived(n) AS archived
