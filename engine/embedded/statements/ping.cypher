// Answers as soon as Neo4j executes queries.
// Parameters: none. Returns: one row, 1.
RETURN 1 AS alive
