// Purpose: the nodes of a range of numbers with all of their properties but vectors, of all users: what is looked through for traces.
// Parameters: first, last (numbers, both included), vectors (names of properties that are left out), user_id (null: of all users; nodes without a
// user always). Returns: kinds (labels), properties (pairs of name and value).
MATCH (n) WHERE id(n) IN range($first, $last) AND ($user_id IS NULL OR n.user_id IS NULL OR n.user_id = $user_id)
RETURN labels(n) AS kinds, [key IN keys(n) WHERE NOT key IN $vectors | [key, n[key]]] AS properties
