// Purpose: which of these finished changes of nodes, edges and grants the graph does not know. Operator only, all users.
// Parameters: changes [{number, kind, revision, node_id, edge_id, grant_id (of its subject; the others null), own (what an edge has after it; null: nothing holds)}]. Returns: number.
UNWIND $changes AS c
OPTIONAL MATCH (n:Node {node_id: c.node_id})
OPTIONAL MATCH (:Node)-[e:part.edge() {edge_id: c.edge_id}]->(:Node)
OPTIONAL MATCH (:Subject)-[g:GRANTED {grant_id: c.grant_id}]->(:Node)
WITH c, n, e, g
WHERE c.kind = 'node_revised' AND coalesce(n.revision, 1) < c.revision
   OR c.kind = 'edge_revised' AND (e IS NULL OR coalesce(e.revision, 1) < c.revision
     OR coalesce(e.revision, 1) = c.revision AND c.own IS NOT NULL AND (any(key IN keys(c.own.properties) WHERE coalesce(e[key] <> c.own.properties[key], true))
        OR e.known_from IS NULL OR (e.valid_from IS NULL) <> (c.own.valid_from IS NULL) OR (e.valid_to IS NULL) <> (c.own.valid_to IS NULL)))
   OR c.kind = 'granted' AND (g IS NULL OR g.user_id IS NULL)
   OR c.kind = 'revoked' AND (g IS NULL OR g.revoked_at IS NULL)
RETURN c.number AS number ORDER BY number LIMIT size($changes)
