// Communities: entities that belong together, and what a job derives of each entity. For the user of the graph alone.
//
//   (:Entity {…, importance, summary, summary_of})        importance from 0 to 1; summary_of: the relations that the summary names
//   (:Entity)-[:IN_COMMUNITY]->(:Community {community_id, user_id, name, size, summary, updated_at, fingerprint, vector, vector_version})
//                                                         fingerprint: of its members; vector: of the summary, a list of numbers as in shells
//   (:Node:User {…, derived_at})                          as of when it was derived: a build that read before that changes nothing

CREATE CONSTRAINT community_id IF NOT EXISTS FOR (c:Community) REQUIRE c.community_id IS UNIQUE;

CREATE INDEX community_user IF NOT EXISTS FOR (c:Community) ON (c.user_id);

CALL db.createRelationshipType('IN_COMMUNITY');

UNWIND ['importance', 'summary_of', 'size', 'updated_at', 'fingerprint', 'vector', 'vector_version', 'derived_at'] AS name
CALL db.createProperty(name);

CALL db.awaitIndexes(25);
