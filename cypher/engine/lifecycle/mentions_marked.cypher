// Purpose: marks records whose mentions, names or evidence were lost: the job reads them again. Of lost evidence it is not known which record gave it, so all
//   that mention both ends are marked. Operator only. Idempotent. Parameters: user_id. Returns: marked (records).
CALL () {
  MATCH (:Node {user_id: $user_id})-[:HOLDS]->(r:Record)
  WHERE r.mentions <> COUNT { (r)-[m:MENTIONS]->(:Entity) WHERE m.known_to IS NULL }
  RETURN r
  UNION
  MATCH (a:Entity {user_id: $user_id})-[relation]->(b:Entity)
  WHERE a.key IS NOT NULL AND relation.relation_id IS NOT NULL
    AND relation.strength > COUNT { (a)<-[v:EVIDENCE {relation_id: relation.relation_id}]-(:Record) WHERE v.known_to IS NULL }
  MATCH (a)<-[m:MENTIONS]-(r:Record)-[n:MENTIONS]->(b)
  WHERE m.known_to IS NULL AND n.known_to IS NULL
  RETURN r
  UNION
  MATCH (a:Entity {user_id: $user_id})
  WHERE a.key IS NOT NULL
  WITH a, COLLECT { MATCH (a)-[relation]->(:Entity) WHERE relation.relation_id IS NOT NULL RETURN relation.relation_id } AS ids
  MATCH (r:Record)-[v:EVIDENCE]->(a)
  WHERE NOT v.relation_id IN ids
  RETURN r
  UNION
  MATCH (e:Entity {user_id: $user_id})<-[m:MENTIONS]-(r:Record)
  WHERE e.key IS NOT NULL AND m.known_to IS NULL AND any(key IN m.names WHERE NOT EXISTS {
    MATCH (a:Alias {user_id: $user_id, type: 'name', key: key}) WHERE a.withdrawn OR a.not_of IS NOT NULL OR EXISTS { (a)-[:NAMES]->(:Entity) } })
  RETURN r
}
WITH r
SET r.mentions_reader = null, r.relations_reader = null
RETURN count(r) AS marked
