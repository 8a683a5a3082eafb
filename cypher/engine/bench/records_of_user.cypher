// Purpose: how many records a user has. For a benchmark. Parameters: user_id. Returns: records.
MATCH (r:Record {user_id: $user_id}) WHERE r.record_id IS NOT NULL RETURN count(r) AS records
