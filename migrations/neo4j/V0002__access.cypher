// Who may see what, in the graph.
//
//   (:Subject {subject_id, kind})-[:GRANTED {grant_id, mode, depth, fields, granted_at, expires_at, revoked_at}]->(:Node)
//
// A subject is a persona or an integration. A grant stays after its end: revoked_at closes it, and a late repetition
// of the granting finds it closed. Records carry `privacy`; nodes count what is private apart.

CREATE CONSTRAINT subject_id IF NOT EXISTS FOR (s:Subject) REQUIRE s.subject_id IS UNIQUE;

CREATE CONSTRAINT grant_id IF NOT EXISTS FOR ()-[g:GRANTED]-() REQUIRE g.grant_id IS UNIQUE;
