// Purpose: the indexes of the graph, with the constraints that own them and their state, for the comparison with the migrations. Parameters: none.
// Returns: name, kind, of (labels or types), properties, unique, state.
SHOW INDEXES YIELD name, type, labelsOrTypes, properties, owningConstraint, state
WHERE properties IS NOT NULL
RETURN name, type AS kind, labelsOrTypes AS of, properties, owningConstraint IS NOT NULL AS unique, state ORDER BY name
