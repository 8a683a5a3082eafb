// Purpose: takes the files of these records out of the manifests; the records stay. Operator only. Parameters: records [record_id].
// Returns: forgotten.
MATCH (r:Record) WHERE r.record_id IN $records
SET r.file_id = null, r.file_name = null
RETURN count(r) AS forgotten
