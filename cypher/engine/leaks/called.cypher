// Purpose: the names of entities in the graphs of some users, and pairs of which one is to be decided: for the leak fuzzer. Service only.
// Parameters: users (ids). Returns: user_id, key, value (of a name), pair_id (of a pair); the others are empty.
MATCH (a:Alias)
WHERE a.user_id IN $users AND a.type = 'name'
RETURN a.user_id AS user_id, a.key AS key, a.value AS value, null AS pair_id
UNION ALL
MATCH (e:Entity)-[p:POSSIBLY_SAME]->(:Entity)
WHERE e.user_id IN $users
RETURN e.user_id AS user_id, '' AS key, '' AS value, p.pair_id AS pair_id
