// Purpose: how many shells there are, and how many have a vector of a version. Operator only.
// Parameters: version, label (the slot's property with the version's name). Returns: shells, done.
CYPHER 25
MATCH (n:Node)
RETURN count(n) AS shells, count(CASE n[$label] WHEN $version THEN 1 END) AS done
