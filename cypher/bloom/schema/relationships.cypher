// Purpose: properties of the relationships of one graph by type, and the labels at both ends, from at most 300 of each.
// Parameters: user_id (whose graph, a text), types.
// Returns: name (the type), properties ([name, type] of each), ends ([label, label] of each pair).
CYPHER 25
UNWIND $types AS type
CALL (type) {
  MATCH (a)-[r:$(type)]->(b) WHERE $user_id IN [a.user_id, b.user_id]
  WITH a, r, b LIMIT 300
  WITH r, [n IN [a, b] | coalesce(head([label IN labels(n) WHERE NOT label IN ['Node', 'Entity']]), labels(n)[0])] AS ends
  RETURN collect(DISTINCT ends) AS ends, collect(r) AS found
}
CALL (found) {
  UNWIND found AS r
  UNWIND keys(r) AS key
  WITH DISTINCT key, valueType(r[key]) AS type ORDER BY key, type
  WITH key, head(collect(type)) AS type
  RETURN collect([key, type]) AS properties
}
RETURN type AS name, properties, ends
