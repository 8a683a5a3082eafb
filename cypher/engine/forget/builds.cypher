// Purpose: refuses builds of communities that read a graph before this moment, so that none brings back what is erased; and takes away what one entered that read it after another one.
//   For the service. Idempotent. Parameters: user_id, at (the moment), since (the other one, or null: nothing is taken away). Returns: counts, by label.
CYPHER 25
MATCH (u:Node {node_id: $user_id})
SET u.forgotten_at = CASE WHEN u.forgotten_at > $at THEN u.forgotten_at ELSE $at END
WITH u.derived_at >= $since AS entered
CALL (entered) {
  MATCH (c:Community {user_id: $user_id})
  WHERE entered
  DETACH DELETE c
  RETURN count(*) AS communities
}
CALL (entered) {
  MATCH (e:Entity {user_id: $user_id})
  WHERE entered AND e.key IS NOT NULL AND e.summary IS NOT NULL
  SET e.summary = null, e.summary_of = null
}
RETURN [['Community', communities]] AS counts
