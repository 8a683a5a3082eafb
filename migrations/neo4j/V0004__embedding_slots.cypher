// Two slots for the vector of a shell, so that two embedding versions lie beside each other (Postgres: V0009):
//
//   (:Node {embedding, embedding_version, embedding_b, embedding_b_version})
//
// The indexes take vectors of any length: a slot is used by one version after the other. The old
// one goes first: there is at most one for the same properties.

DROP INDEX node_embedding IF EXISTS;

CYPHER 25
CREATE VECTOR INDEX shell_meaning_a IF NOT EXISTS FOR (n:Node) ON n.embedding WITH [n.user_id]
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine'}};

CYPHER 25
CREATE VECTOR INDEX shell_meaning_b IF NOT EXISTS FOR (n:Node) ON n.embedding_b WITH [n.user_id]
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine'}};

CALL db.awaitIndexes(25);
