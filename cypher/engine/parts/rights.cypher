// Part: rights(): what the principal may read in this graph beside an own one: below which node, how deep, which fields, and whether to
//   write there, too. A list, looked up once in a statement: the planner takes seconds for a statement that asks it at each node.
// Needs: parameters user_id, principal, kind (filled up with blanks to 12 characters: one size class), earliest.
CASE WHEN $principal = $user_id THEN [] ELSE COLLECT {
  MATCH (:Subject {kind: trim($kind)})-[g:GRANTED {subject_id: $principal, user_id: $user_id}]->(top:Node)
  WHERE g.revoked_at IS NULL AND coalesce(g.expires_at > datetime(), true) AND (g.granted_at <= $earliest OR g.past)
  RETURN {node_id: top.node_id, depth: g.depth, fields: g.fields, mode: g.mode} AS granted
  UNION ALL
  MATCH (top:Node:Persona {node_id: $principal})
  WHERE trim($kind) = 'persona' AND top.user_id = $user_id
  RETURN {node_id: top.node_id, depth: 5, fields: ['records', 'items', 'files'], mode: 'read'} AS granted
} END
