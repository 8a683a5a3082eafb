// Action: Show evidence
// Purpose: the records that state the selected relations.
// Parameters: user_id (whose graph, a text), relationships (element ids of what is selected in the scene).
// Returns: paths.
MATCH (source:Entity {user_id: $user_id})-[r]->(:Entity)
WHERE elementId(r) IN $relationships AND r.relation_id IS NOT NULL
MATCH way = (source)<-[v:EVIDENCE {relation_id: r.relation_id}]-(:Record)<-[:HOLDS]-(:Node)
WHERE v.known_to IS NULL
RETURN way
