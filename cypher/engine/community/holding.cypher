// Purpose: which of these relations, entities and records hold now.
// Parameters: user_id (whose graph), principal and kind (who asks: only the user), as_of, known_at and earliest (the end of time is now), relations
//   entities, records (ids).
// Returns: relations, entities, records (ids of those that hold), renamed [{entity_id, at}] (when records last gave up a display name): one row.
CYPHER 25
WITH $as_of AS as_of
MATCH (n:Node {node_id: $user_id})
WHERE $principal = $user_id AND trim($kind) = 'user' AND n.user_id = $user_id
CALL (as_of) {
  UNWIND $entities AS id
  MATCH (e:Entity {entity_id: id})
  WHERE e.user_id = $user_id AND NOT EXISTS { (:Entity)-[merge:SUPERSEDES]->(e) WHERE part.holds(merge) }
    AND EXISTS { (e)-[merges:SUPERSEDES*0..]->(member:Entity) WHERE member.mentions > 0 AND all(merge IN merges WHERE part.holds(merge)) }
  RETURN collect(e.entity_id) AS entities, collect(CASE WHEN e.withdrawn_at IS NOT NULL THEN {entity_id: e.entity_id, at: last(e.withdrawn_at)} END) AS renamed
}
CALL (as_of) {
  UNWIND $records AS id
  MATCH (:Node {user_id: $user_id})-[:HOLDS]->(r:Record {record_id: id})
  WHERE part.shown(r)
  RETURN collect(DISTINCT r.record_id) AS records
}
CALL (as_of) {
  UNWIND $relations AS id
  MATCH (a:Entity)<-[v:EVIDENCE {relation_id: id}]-(:Record) USING INDEX SEEK v:EVIDENCE(relation_id)
  WHERE a.user_id = $user_id AND v.known_to IS NULL
  WITH DISTINCT a, id
  MATCH (a)-[relation {relation_id: id}]->(:Entity)
  WHERE relation.strength > 0 AND (relation.until IS NULL OR relation.until > toString(date(as_of)))
  RETURN collect(DISTINCT id) AS relations
}
RETURN relations, entities, records, renamed
