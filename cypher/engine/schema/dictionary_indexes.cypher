// Purpose: the indexes of the graph that have properties, with the constraints that own them, for the data dictionary.
// Parameters: none. Returns: name, kind, of (labels or types), properties, unique.
SHOW INDEXES YIELD name, type, labelsOrTypes, properties, owningConstraint
WHERE properties IS NOT NULL
RETURN name, type AS kind, labelsOrTypes AS of, properties, owningConstraint IS NOT NULL AS unique ORDER BY of[0], name
