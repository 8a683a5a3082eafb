// Purpose: properties of the nodes of one graph by label, from at most 300 of each.
// Parameters: user_id (whose graph, a text), labels.
// Returns: name (the label), properties ([name, type] of each).
CYPHER 25
UNWIND $labels AS label
CALL (label) {
  MATCH (n:$(label)) WHERE n.user_id = $user_id
  WITH n LIMIT 300
  UNWIND keys(n) AS key
  WITH DISTINCT key, valueType(n[key]) AS type ORDER BY key, type
  WITH key, head(collect(type)) AS type
  RETURN collect([key, type]) AS properties
}
RETURN label AS name, properties
