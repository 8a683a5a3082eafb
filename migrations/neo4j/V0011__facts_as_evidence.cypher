// Facts as evidence of relations.
//
//   (:Record)-[:EVIDENCE {…, fact_id, withdrawn_with}]->(:Entity)    a fact of the record that states the relation, too; the fact that took it away
//   (:Entity)-[relation {…, ended_with}]->(:Entity)                  the fact that was over, with which it ended

UNWIND ['ended_with', 'withdrawn_with'] AS name CALL db.createProperty(name);
