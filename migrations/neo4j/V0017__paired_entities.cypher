// Of relations that hold for both ends alike one can hold at a time at either end: entities keep the keys of those whose relation of this sort leads to them.
//
//   (:Entity {…, paired})                          keys of entities
//   (:Entity)-[relation {…, symmetric}]->(:Entity)

UNWIND ['paired', 'symmetric'] AS name CALL db.createProperty(name);

MATCH (a:Entity)-[relation:MARRIED_TO|PARTNER_OF|ENGAGED_TO]->(b:Entity)
WHERE relation.relation_id IS NOT NULL AND a.key IS NOT NULL
SET relation.symmetric = true
WITH b, collect(DISTINCT a.key) AS keys
SET b.paired = keys;
