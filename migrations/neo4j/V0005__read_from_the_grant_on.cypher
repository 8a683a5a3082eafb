// Since when a node hangs where it hangs, where it was moved (see engine.nodes.placed_at): readers other than the user see it from then on.
//
//   (:Node {placed_at})                 when it was moved to its parent; null: it was made there
//   (:Record {moved_at})                when it was moved to its node, beside moved_revision; null with that: not known, so no past is shown
//   (:Subject)-[:GRANTED {granted_at, past}]->(:Node)   shown from granted_at on, on both clocks, unless `past`

MATCH (p:Node)-[h:HAD_CHILD]->(n:Node)<-[:HAS_CHILD]-(q:Node)
WHERE p <> q
WITH n, max(h.valid_to) AS valid_to, max(h.known_to) AS known_to
SET n.placed_at = CASE WHEN valid_to IS NULL OR known_to > valid_to THEN known_to ELSE valid_to END;
