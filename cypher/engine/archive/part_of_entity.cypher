// Purpose: what belongs to an entity of a user, and to those that are read as one with it: these, the records that mention or support them, the facts about them,
//   the entities at the other ends of their relations. Service only: archives of a part of the graph. Parameters: user_id, entity_id.
// Returns: kind (entity, record, fact, relation or neighbour), id.
CYPHER 25
MATCH (e:Entity {entity_id: $entity_id}) WHERE e.user_id = $user_id
MATCH path = (e)-[:SUPERSEDES*0..20]-(o:Entity)
WHERE all(r IN relationships(path) WHERE r.known_to IS NULL)
WITH DISTINCT o LIMIT 10000
CALL (o) {
  RETURN 'entity' AS kind, o.entity_id AS id
  UNION
  MATCH (o)<-[:MENTIONS|EVIDENCE|INTENDS]-(r:Record)
  RETURN 'record' AS kind, r.record_id AS id
  UNION
  MATCH (o)<-[:ABOUT]-(f:Fact)
  RETURN 'fact' AS kind, f.fact_id AS id
  UNION
  MATCH (o)-[r]-(:Entity) WHERE r.relation_id IS NOT NULL
  RETURN 'relation' AS kind, r.relation_id AS id
  UNION
  MATCH (o)-[r]-(n:Entity) WHERE r.relation_id IS NOT NULL
  RETURN 'neighbour' AS kind, n.entity_id AS id
}
RETURN DISTINCT kind, id
