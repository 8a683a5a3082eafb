// Facts: what records state, what they are about, and how they follow each other.
//
//   (:Fact {fact_id, user_id, node_id, record_id, caption, fact_type, category, status, valid_from, valid_to, said_at, known_from, known_to,
//           invalidated_at, last_confirmed_at, confirmations, stale, privacy, scope, revision, reader, commit_id})
//                                                     `caption` is one line of at most 120 characters; texts and vectors are in Postgres
//   (:Fact)-[:ABOUT {primary}]->(:Entity)             whom and what it names; one of them, its subject, is primary
//   (:Fact)-[:SUPERSEDES]->(:Fact)                    the one before it in its chain
//   (:Fact)-[:CONTRADICTS]->(:Fact)                   both stand, and do not agree
//   (:Record)-[:STATES {fact_id, revision, known_to}]->(:Fact)      its own facts, and those of others that it confirms (`fact_id`: of the confirmation)
//   (:Entity {fact_count})                            live facts about it

CREATE CONSTRAINT fact_id IF NOT EXISTS FOR (f:Fact) REQUIRE f.fact_id IS UNIQUE;

CREATE INDEX fact_of_user IF NOT EXISTS FOR (f:Fact) ON (f.user_id, f.fact_id);

CALL db.createLabel('Fact');

UNWIND ['ABOUT', 'STATES', 'CONTRADICTS'] AS name CALL db.createRelationshipType(name);

UNWIND ['caption', 'category', 'confirmations', 'fact_count', 'fact_id', 'fact_type', 'invalidated_at', 'last_confirmed_at', 'primary', 'reader',
        'record_id', 'said_at', 'scope', 'stale', 'status'] AS name
CALL db.createProperty(name);

CALL db.awaitIndexes(25);
