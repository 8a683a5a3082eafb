// Purpose: gives an entity another key, where its own tells a name that only records use that are erased. Records that mention it are read again: which of two ends is the source
//   of a relation that has no direction is by their keys. Idempotent. Parameters: user_id, entity_id, was, key (that no other entity has). Returns: entity_id.
CYPHER 25
MATCH (e:Entity {entity_id: $entity_id})
WHERE e.user_id = $user_id AND e.key = $was
SET e.mentions = e.mentions  // takes the lock
WITH e
CALL (e) {
  MATCH (e)-[relation]->(target:Entity)
  WHERE relation.symmetric AND $was IN target.paired
  WITH DISTINCT target
  SET target.paired = [other IN target.paired WHERE other <> $was] + $key
}
CALL (e) {
  MATCH (e)<-[:MENTIONS]-(r:Record)
  WITH DISTINCT r
  SET r.mentions_reader = null, r.relations_reader = null
}
SET e.key = $key
RETURN e.entity_id AS entity_id
