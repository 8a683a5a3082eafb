// Purpose: shows in the shell that a file of the node is open.
// Parameters: user_id (whose graph), principal and kind (who asks), node_id, now. Returns: node_id; no row when missing or not readable.
MATCH (n:Node {node_id: $node_id}) WHERE n.user_id = $user_id
  AND ($principal = $user_id OR EXISTS { (n)<-[way:HAS_CHILD*0..5]-(a:Node) WHERE $kind = 'persona' AND a:Persona AND a.node_id = $principal OR EXISTS { (a)<-[g:GRANTED]-(:Subject {subject_id: $principal, kind: $kind}) WHERE g.revoked_at IS NULL AND g.depth >= size(way) AND coalesce(g.expires_at > datetime(), true) } })
SET n.state = 'active', n.last_accessed_at = datetime($now)
RETURN n.node_id AS node_id
