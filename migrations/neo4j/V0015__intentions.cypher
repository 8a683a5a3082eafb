// Intentions, which are kept where the setting says so.
//
//   (:Record)-[:INTENDS {intention_id, user_id, name, text, state, state_at, reason, due, item_id, span, commit_id, known_from, known_to}]->(:Entity)   who has it

CREATE INDEX intention_id IF NOT EXISTS FOR ()-[i:INTENDS]-() ON (i.intention_id);

CREATE INDEX intention_user IF NOT EXISTS FOR ()-[i:INTENDS]-() ON (i.user_id);

CALL db.createRelationshipType('INTENDS');

UNWIND ['due', 'intention_id', 'state_at', 'text'] AS name CALL db.createProperty(name);

CALL db.awaitIndexes(25);
