// Purpose: ids of the records of a user, in their order, one page; for the service, in a home that was restored. Parameters: user_id, after ('': from the first on), most.
//   Returns: record_id.
MATCH (r:Record)
WHERE r.user_id = $user_id AND r.record_id > $after
RETURN r.record_id AS record_id
ORDER BY record_id LIMIT $most
