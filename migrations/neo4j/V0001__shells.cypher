// Shells of nodes, their hierarchy, edges and manifests.
//
//   (:Node:User|Concept|Persona {node_id, user_id, user_key, parent_id, name, name_key, node_type, layer, schema_name,
//        summary, keywords, aliases, alias_keys, embedding, embedding_version, state, records, items,
//        created_at, last_accessed_at, valid_from, valid_to, known_from, known_to})
//   (:Node)-[:HAS_CHILD]->(:Node)                    the tree; the root is the user, layer 0
//   (:Node)-[:RELATED {edge_id, edge_type, …, valid_from, valid_to, known_from, known_to}]->(:Node)   the global edge registry
//   (:Node)-[:HOLDS]->(:Record {record_id, user_id, node_id, title, content_type, file_id, file_name, occurred_at, …})  the manifest
//
// Ids are UUID texts; user_key is the user's id without separators, for the full-text index; times are DateTime in UTC.
// A statement ends with a semicolon at the end of a line.

CREATE CONSTRAINT node_id IF NOT EXISTS FOR (n:Node) REQUIRE n.node_id IS UNIQUE;

CREATE CONSTRAINT node_schema IF NOT EXISTS FOR (n:Node) REQUIRE n.schema_name IS UNIQUE;

CREATE CONSTRAINT record_id IF NOT EXISTS FOR (r:Record) REQUIRE r.record_id IS UNIQUE;

CREATE CONSTRAINT edge_id IF NOT EXISTS FOR ()-[e:RELATED]-() REQUIRE e.edge_id IS UNIQUE;

CREATE INDEX node_name IF NOT EXISTS FOR (n:Node) ON (n.user_id, n.name_key);

CREATE FULLTEXT INDEX node_text IF NOT EXISTS FOR (n:Node) ON EACH [n.name, n.aliases, n.keywords, n.summary, n.user_key]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words'}};
