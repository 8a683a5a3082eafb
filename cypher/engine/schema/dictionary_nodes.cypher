// Purpose: which properties nodes of each label have, of which types, in a sample of each: for the data dictionary.
// Parameters: sample (nodes of a label that are looked at). Returns: name (the label), property, types.
CYPHER 25
CALL db.labels() YIELD label
CALL (label) {
  MATCH (n:$(label))
  WITH n LIMIT $sample
  UNWIND keys(n) AS property
  RETURN property, collect(DISTINCT valueType(n[property])) AS types
}
RETURN label AS name, property, types ORDER BY name, property
