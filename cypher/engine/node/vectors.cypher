// Purpose: what shells of the principal's graph mean, for assignment. Parameters: user_id (whose graph), principal and kind (who asks), nodes
//   (at most 10,000 ids), column (the slot of the active embeddings), version. Returns: node_id, vector; no row where it is not made yet.
UNWIND $nodes AS node_id
MATCH (n:Node {node_id: node_id})
WHERE n.user_id = $user_id AND n[$column + '_version'] = $version
  AND ($principal = $user_id OR EXISTS { (n)<-[way:HAS_CHILD*0..5]-(a:Node) WHERE EXISTS { (a)<-[g:GRANTED]-(:Subject {subject_id: $principal, kind: $kind}) WHERE g.revoked_at IS NULL AND g.mode = 'read_write' AND g.depth >= size(way) AND coalesce(g.expires_at > datetime(), true) } })
RETURN n.node_id AS node_id, n[$column] AS vector LIMIT 10000
