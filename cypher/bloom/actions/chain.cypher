// Action: Show the chain of a fact
// Purpose: what the selected facts replaced, and what replaced them.
// Parameters: user_id (whose graph, a text), nodes (element ids of what is selected in the scene).
// Returns: paths.
MATCH (n:Fact)
WHERE elementId(n) IN $nodes AND n.user_id = $user_id
MATCH way = (n)-[:SUPERSEDES*1..20]-(:Fact)
RETURN way
