// A principal's grants in one graph are found by an index, whatever else was granted to it: a statement looks them up once
// (see cypher/engine/parts/rights.cypher).
//
//   (:Subject)-[:GRANTED {subject_id, user_id}]->(:Node)   whose right, and in whose graph: those of both ends

CREATE INDEX granted_in_graph IF NOT EXISTS FOR ()-[g:GRANTED]-() ON (g.subject_id, g.user_id);

MATCH (s:Subject)-[g:GRANTED]->(n:Node)
WHERE g.user_id IS NULL
SET g.subject_id = s.subject_id, g.user_id = n.user_id;

CALL db.awaitIndexes(25);
