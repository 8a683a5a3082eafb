// Purpose: how many records a user has. For a benchmark. Parameters: user_id. Returns: records.
MATCH (r:Record {user_id: $user_id}) RETURN count(r) AS records
