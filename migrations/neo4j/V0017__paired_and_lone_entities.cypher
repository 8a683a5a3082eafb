// Of relations that hold for both ends alike one can hold at a time at either end: entities keep the keys of those whose relation of this sort leads to them.
// What one passage of a document mentioned once, and nothing else speaks of, is marked, so that lists find the others without looking at it.
//
//   (:Entity {…, paired, lone})                    keys of entities; false where it may be otherwise
//   (:Entity)-[relation {…, symmetric}]->(:Entity)

CREATE INDEX entity_lone IF NOT EXISTS FOR (e:Entity) ON (e.user_id, e.lone, e.mentions, e.entity_id);

// Its place is taken by the one above.
DROP INDEX entity_mentions IF EXISTS;

UNWIND ['access_count', 'enders', 'lone', 'paired', 'reworded', 'rewordings', 'symmetric'] AS name CALL db.createProperty(name);

MATCH (a:Entity)-[relation:MARRIED_TO|PARTNER_OF|ENGAGED_TO]->(b:Entity)
WHERE relation.relation_id IS NOT NULL AND a.key IS NOT NULL
SET relation.symmetric = true
WITH b, collect(DISTINCT a.key) AS keys
SET b.paired = keys;

MATCH (e:Entity)
WHERE e.lone IS NULL
CALL (e) {
  SET e.lone = COUNT { (:Record)-[:MENTIONS]->(e) } = 1
    AND EXISTS { (r:Record)-[m:MENTIONS]->(e) WHERE r.content_type <> 'conversation' AND all(span IN m.spans WHERE left(span, 36) = left(m.spans[0], 36)) }
    AND coalesce(e.renamed, e.rekinded, e.given_names) IS NULL AND NOT EXISTS { (e)-[:SUPERSEDES]-(:Entity) } AND NOT EXISTS { (e)<-[:ABOUT|IS_ABOUT]-() }
    AND NOT EXISTS { (alias:Alias)-[:NAMES]->(e) WHERE alias.verified }
    AND NOT EXISTS { (e)-[relation]-(:Entity) WHERE relation.relation_id IS NOT NULL }
} IN TRANSACTIONS OF 5000 ROWS;

CALL db.awaitIndexes(25);
