// Action: Show what states a fact
// Purpose: the records that state the selected facts, with the nodes that hold them.
// Parameters: user_id (whose graph, a text), nodes (element ids of what is selected in the scene).
// Returns: paths.
MATCH (n:Fact)
WHERE elementId(n) IN $nodes AND n.user_id = $user_id
MATCH way = (n)<-[states:STATES]-(:Record)<-[:HOLDS]-(:Node)
WHERE states.known_to IS NULL
RETURN way
