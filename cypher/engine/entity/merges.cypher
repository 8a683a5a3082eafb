// Purpose: the merges of a graph, newest first, for its user. Parameters: user_id (whose graph), principal and kind (who asks: only the user sees
//   all of a graph), as_of, known_at (the end of time is now), merge_id (one, whether it holds or was undone; or an empty text), limit.
// Returns: merge_id, entity_id, merged_id, at, reason.
WITH $as_of AS as_of
MATCH (n:Entity)-[merge:SUPERSEDES]->(other:Entity)
WHERE $principal = $user_id AND trim($kind) = 'user' AND n.user_id = $user_id
  AND (merge.merge_id = $merge_id OR $merge_id = '' AND part.holds(merge))
RETURN merge.merge_id AS merge_id, n.entity_id AS entity_id, other.entity_id AS merged_id, merge.at AS at, merge.reason AS reason
ORDER BY at DESC, merge_id LIMIT $limit
