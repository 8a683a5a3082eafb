// Purpose: the relationships of a range of numbers with all of their properties, of all users: what is looked through for traces.
// Parameters: first, last (numbers, both included), vectors (names of properties that are left out), user_id (null: of all users; those that begin at a
// node without a user always). Returns: kinds (the type), properties (pairs of name and value).
MATCH (n)-[r]->() WHERE id(r) IN range($first, $last) AND ($user_id IS NULL OR n.user_id IS NULL OR n.user_id = $user_id)
RETURN [type(r)] AS kinds, [key IN keys(r) WHERE NOT key IN $vectors | [key, r[key]]] AS properties
