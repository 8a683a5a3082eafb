// Facts as evidence of relations; facts and aliases have a name, which Browser and Bloom show on them by themselves.
//
//   (:Record)-[:EVIDENCE {…, fact_id, withdrawn_with}]->(:Entity)    a fact of the record that states the relation, too; the fact that took it away
//   (:Entity)-[relation {…, ended_with}]->(:Entity)                  the fact that was over, with which it ended
//   (:Fact {…, name}), (:Alias {…, name})                            the caption of a fact, the value of an alias

UNWIND ['ended_with', 'withdrawn_with'] AS name CALL db.createProperty(name);

MATCH (f:Fact) WHERE f.name IS NULL SET f.name = f.caption;

MATCH (a:Alias) WHERE a.name IS NULL SET a.name = a.value;
