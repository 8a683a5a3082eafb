// Purpose: says that a text of a record was changed by hand, so that the job reads the record again. Applied once more, it is read once more.
// Parameters: reworded {record_id, user_id, node_id}. Returns: record_id; no row when the manifest lacks it.
MATCH (r:Record {record_id: $reworded.record_id})
WHERE r.user_id = $reworded.user_id  // a commit marks records of its own graph only
SET r.rewordings = coalesce(r.rewordings, 0) + 1, r.mentions_reader = 0, r.relations_reader = 0
RETURN r.record_id AS record_id
