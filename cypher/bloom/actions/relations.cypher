// Action: Show relations
// Purpose: the relations of the selected entities that hold.
// Parameters: user_id (whose graph, a text), nodes (element ids of what is selected in the scene).
// Returns: paths.
MATCH (n:Entity)
WHERE elementId(n) IN $nodes AND n.user_id = $user_id
MATCH way = (n)-[r]-(:Entity)
WHERE r.strength > 0 AND size(coalesce(r.archivings, [])) % 2 = 0 AND coalesce(r.until > toString(date()), true)
RETURN way
