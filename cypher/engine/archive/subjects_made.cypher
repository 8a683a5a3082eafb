// Purpose: makes those who were given rights, where they are not there: an integration may have rights at nodes of others. Operator only. Idempotent.
// Parameters: rows {properties {subject_id, kind}}. Returns: made.
UNWIND $rows AS row
MERGE (n:Subject {subject_id: row.properties.subject_id})
  ON CREATE SET n.kind = row.properties.kind
RETURN count(*) AS made
