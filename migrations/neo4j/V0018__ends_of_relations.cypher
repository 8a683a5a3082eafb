// What a text says is over is ended by no other relation: such a one may be withdrawn, and this stays over. Relations of which one can hold at a time say so.
//
//   (:Entity)-[relation {…, functional}]->(:Entity)

CALL db.createProperty('functional');

MATCH (:Entity)-[ended]->(:Entity) WHERE ended.ended_by IS NOT NULL OR ended.enders IS NOT NULL
WITH collect(DISTINCT ended.name) AS names
MATCH (:Entity)-[relation]->(:Entity)
WHERE relation.relation_id IS NOT NULL AND relation.name IN names
SET relation.functional = true;

MATCH (a:Entity)-[relation]->(:Entity)
WHERE relation.ended_by IS NOT NULL AND relation.strength > 0
WITH relation, relation.relation_id AS relation_id, a
WITH relation, COLLECT {
  MATCH (a)<-[v:EVIDENCE {relation_id: relation_id}]-(line:Record) WHERE v.known_to IS NULL
  WITH v, coalesce(line.occurred_at, line.since, line.known_from) AS said ORDER BY said DESC, v.known_from DESC LIMIT 1
  RETURN {ended: v.ended, until: coalesce(v.until, toString(date(said)))}
}[0] AS newest
WHERE newest.ended
SET relation.enders = [id IN coalesce(relation.enders, []) WHERE id <> relation.ended_by] + relation.ended_by, relation.until = newest.until, relation.ended_by = null;
