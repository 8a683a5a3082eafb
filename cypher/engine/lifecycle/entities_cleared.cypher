// Purpose: removes what is left over in a knowledge graph: evidence of no relation, relations that nothing ever stated, names of no entity, entities that
//   nothing mentions or ever did, while no record is to be read again. Operator only. Idempotent.
// Parameters: user_id, reader (version). Returns: removed (entities).
CYPHER 25
CALL () {
  MATCH (a:Entity {user_id: $user_id})
  WHERE a.key IS NOT NULL
  WITH a, COLLECT { MATCH (a)-[relation]->(:Entity) WHERE relation.relation_id IS NOT NULL RETURN relation.relation_id } AS ids
  MATCH (:Record)-[v:EVIDENCE]->(a)
  WHERE NOT v.relation_id IN ids
  DELETE v
}
CALL () {
  MATCH (a:Entity {user_id: $user_id})-[relation]->(:Entity)
  WHERE a.key IS NOT NULL AND relation.relation_id IS NOT NULL AND NOT EXISTS { (a)<-[:EVIDENCE {relation_id: relation.relation_id}]-(:Record) }
  DELETE relation
}
CALL () {
  MATCH (e:Entity {user_id: $user_id})
  WHERE e.key IS NOT NULL AND NOT EXISTS { (e)<-[:MENTIONS]-(:Record) } AND NOT EXISTS { (e)-[:SUPERSEDES]-(:Entity) }
    AND NOT EXISTS { (:Node {user_id: $user_id})-[:HOLDS]->(r:Record) WHERE coalesce(r.mentions_reader, 0) < $reader }
  DETACH DELETE e
  RETURN count(*) AS removed
}
CALL () {
  MATCH (a:Alias {user_id: $user_id})
  WHERE a.key IS NOT NULL AND a.not_of IS NULL AND a.withdrawn IS NULL AND NOT EXISTS { (a)-[:NAMES]->(:Entity) }
  DETACH DELETE a
}
RETURN removed
