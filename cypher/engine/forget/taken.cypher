// Purpose: which of these keys entities have. For the service. Parameters: user_id, keys. Returns: key.
UNWIND $keys AS key
MATCH (e:Entity {user_id: $user_id, key: key})
RETURN key
