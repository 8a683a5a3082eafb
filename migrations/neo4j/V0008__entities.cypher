// Entities: who and what records speak of, their names, and where they are mentioned.
//
//   (:Entity:Person|Organization|… {entity_id, user_id, key, name, name_key, kind, mentions, active, created_at, last_mentioned_at, known_from})
//                                                     one label by its kind; `key` (`person:dave-kowalski`) is unique in a graph, `entity_id` random
//   (:Alias {user_id, user_key, type, key, value, verified, known_from})-[:NAMES]->(:Entity)      a name belongs to who had it first
//   (:Record)-[:MENTIONS {role, kind, names, spans, count, commit_id, known_from, known_to}]->(:Entity)
//   (:Node:User)-[:MENTIONED {at, context, source, first_at, times}]->(:Entity)                   the latest mention
//   (:Entity)-[:ANCHORED_AT {mentions, about}]->(:Node)                                           how many records of a node mention it
//   (:Entity)-[:WORKS_AT|MARRIED_TO|… {relation_id, user_id, name, strength, confidence, since, until, last_at, ended_by, known_from, known_to}]->(:Entity)
//                                                     typed by the domain; RELATES_TO with the name for types that it does not list
//   (:Record)-[:EVIDENCE {relation_id, weight, item_id, span, since, until, ended, commit_id, known_from, known_to}]->(:Entity)   at the relation's source
//   (:Entity)-[:POSSIBLY_SAME {pair_id, score, reason, source, decided, decided_at, known_from}]->(:Entity)   for the user to decide
//   (:Entity)-[:SUPERSEDES {merge_id, at, reason, by, known_from, known_to}]->(:Entity)           merged: reads take both as one; undone by its end

CREATE CONSTRAINT entity_id IF NOT EXISTS FOR (e:Entity) REQUIRE e.entity_id IS UNIQUE;

CREATE CONSTRAINT entity_key IF NOT EXISTS FOR (e:Entity) REQUIRE (e.user_id, e.key) IS UNIQUE;

CREATE INDEX entity_name IF NOT EXISTS FOR (e:Entity) ON (e.user_id, e.name_key);

CREATE CONSTRAINT alias_key IF NOT EXISTS FOR (a:Alias) REQUIRE (a.user_id, a.type, a.key) IS UNIQUE;

CREATE INDEX alias_name IF NOT EXISTS FOR (a:Alias) ON (a.user_id, a.key);

CREATE CONSTRAINT merge_id IF NOT EXISTS FOR ()-[s:SUPERSEDES]-() REQUIRE s.merge_id IS UNIQUE;

CREATE INDEX evidence_of IF NOT EXISTS FOR ()-[v:EVIDENCE]-() ON (v.relation_id);

CREATE FULLTEXT INDEX alias_text IF NOT EXISTS FOR (a:Alias) ON EACH [a.key, a.user_key]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words'}};

UNWIND ['Person', 'Organization', 'Place', 'Event', 'Work', 'Product', 'Animal', 'Thing'] AS name CALL db.createLabel(name);

UNWIND ['MENTIONS', 'MENTIONED', 'NAMES', 'ANCHORED_AT', 'SUPERSEDES', 'EVIDENCE', 'RELATES_TO', 'POSSIBLY_SAME'] AS name CALL db.createRelationshipType(name);

UNWIND ['about', 'active', 'at', 'by', 'commit_id', 'confidence', 'context', 'count', 'decided', 'decided_at', 'ended', 'ended_by', 'first_at', 'item_id',
        'key', 'last_at', 'last_mentioned_at', 'mentions', 'mentions_reader', 'mentions_revision', 'merge_id', 'names', 'pair_id', 'reason',
        'relation_id', 'relations_reader', 'relations_revision', 'role', 'score', 'source', 'source_id', 'span', 'spans', 'strength', 'times', 'type',
        'until', 'value', 'verified', 'weight'] AS name
CALL db.createProperty(name);

CALL db.awaitIndexes(25);
