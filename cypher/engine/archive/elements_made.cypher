// Purpose: makes nodes of an archive. Operator only: their user is not known to Postgres yet; a constraint refuses what is there already.
// Parameters: rows {labels, properties}. Returns: made.
CYPHER 25
UNWIND $rows AS row
CREATE (n:$(row.labels))
SET n = row.properties
RETURN count(*) AS made
