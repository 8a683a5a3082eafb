// Purpose: all nodes that the principal may write to, with what assignment needs: names, aliases, keywords, summary, path; the user's
//   root first where it is among them. One page of at most 10,000.
// Parameters: user_id (whose graph), principal and kind (who asks), as_of, known_at and earliest (the end of time is now).
// Returns: a row a node, parents first, archived ones marked; `place` are all names on the way (for file paths, never shown), `path` the readable ones.
WITH $as_of AS as_of, part.rights() AS rights
MATCH way_down = (root:Node {node_id: $user_id})-[:HAS_CHILD*0..5]->(n:Node)
WHERE n.user_id = $user_id AND part.holds(n)
  AND part.writable(n)
RETURN n.node_id AS node_id, size(coalesce(n.archivings, [])) % 2 = 1 AS archived, n.layer AS layer, n.schema_name AS schema_name,
       root.schema_name AS root_schema,
       n.keywords AS keywords, n.aliases AS aliases, coalesce(n.summary, '') AS summary, [p IN nodes(way_down) | p.name] AS place,
       [p IN nodes(way_down) WHERE part.readable(p) | p.name] AS path
ORDER BY n.layer, n.name_key LIMIT 10000
