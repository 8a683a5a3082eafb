// Purpose: gives entities another key where theirs tells a name that only records use that are erased. Records that mention one are read again: the rows of their items name it
//   by a number that is made of the key. Idempotent.
// Parameters: user_id, entities [{entity_id, was, keys (the first that no other entity has becomes the key)}]. Returns: how many got one.
CYPHER 25
UNWIND $entities AS one
MATCH (e:Entity {entity_id: one.entity_id})
WHERE e.user_id = $user_id AND e.key = one.was
SET e.mentions = e.mentions  // takes the lock
WITH e, one, head([key IN one.keys WHERE NOT EXISTS { MATCH (other:Entity {user_id: $user_id, key: key}) }]) AS key WHERE key IS NOT NULL
CALL (e, one, key) {
  MATCH (e)-[relation]->(target:Entity)
  WHERE relation.symmetric AND one.was IN target.paired
  WITH DISTINCT target, one, key
  SET target.paired = [other IN target.paired WHERE other <> one.was] + key
}
CALL (e) {
  MATCH (e)<-[:MENTIONS]-(r:Record)
  WITH DISTINCT r
  SET r.mentions_reader = null, r.relations_reader = null
}
SET e.key = key
RETURN count(*) AS entities
