// Purpose: the merges of a graph, newest first, for its user. Parameters: user_id (whose graph), principal and kind (who asks: only the user sees
//   all of a graph), as_of, known_at (the end of time is now), merge_id (one, whether it holds or was undone; or an empty text), limit.
// Returns: merge_id, entity_id, entity_name, merged_id, merged_name, at, reason.
CYPHER 25
WITH $as_of AS as_of
CALL (as_of) {
  MATCH (n:Entity)-[merge:SUPERSEDES {merge_id: $merge_id}]->(other:Entity)
  RETURN n, merge, other
  UNION
  MATCH (n:Entity)-[merge:SUPERSEDES]->(other:Entity)
  USING INDEX SEEK n:Entity(user_id, key)  // else the merges of all users are read
  WHERE n.user_id = $user_id AND n.key IS NOT NULL AND $merge_id = '' AND part.holds(merge)
  RETURN n, merge, other
}
WITH n, merge, other
WHERE $principal = $user_id AND trim($kind) = 'user' AND n.user_id = $user_id
RETURN merge.merge_id AS merge_id, n.entity_id AS entity_id, part.called_then(n) AS entity_name, other.entity_id AS merged_id,
       part.called_then(other) AS merged_name, merge.at AS at, merge.reason AS reason
ORDER BY at DESC, merge_id LIMIT $limit
