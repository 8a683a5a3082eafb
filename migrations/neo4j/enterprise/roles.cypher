// Optional, for Neo4j Enterprise: roles for people who work in Browser or Bloom. Community has no roles, and there every
// Bolt credential is the operator's: it sees all graphs. The engine never runs this file and does not need it; it keeps
// its own filter in every statement, whatever the server's edition.
//
// Run it once as an administrator with `cypher-shell -d system -f roles.cypher`, after the engine's own migrations.
// Property-based rules need Neo4j 5.21 or newer; a rule compares one property with one literal, so a role that shows a single
// user's graph is made per user (the last part; put the user's id in place of the zeros).

// The engine itself: reads and writes everything, changes no schema at run time.
CREATE ROLE neurigraph_engine IF NOT EXISTS AS COPY OF publisher;

// Explorers of the whole database: shells, edges and manifests, without the lines of private records, without the past and without grants.
CREATE ROLE neurigraph_explorer IF NOT EXISTS;
GRANT ACCESS ON DATABASE neo4j TO neurigraph_explorer;
GRANT MATCH {*} ON GRAPH neo4j NODES Node TO neurigraph_explorer;
GRANT MATCH {*} ON GRAPH neo4j FOR (r:Record) WHERE r.privacy = 'org' TO neurigraph_explorer;
GRANT MATCH {*} ON GRAPH neo4j RELATIONSHIPS HAS_CHILD, RELATED, SAME_PERSON, SAME_PLACE, SAME_THING, SIMILAR_TO, BELONGS_TO, DEPENDS_ON, LEADS_TO, COVERED_BY, ANSWERED_BY, FINANCED_BY, SOLD_TO, LOOKED_AFTER_BY, INHERITED_FROM, SHARED_WITH, MANAGED_BY, REPLACED_BY, HOLDS TO neurigraph_explorer;
DENY MATCH {*} ON GRAPH neo4j NODES Subject, Migration TO neurigraph_explorer;
// Entities are left out: their names and relations are kept once for a whole graph, so who sees them sees what private records say, too, and
// `last_context` holds the words around a name. Where every explorer may see that, grant these as well, with the types of relations in the domain file:
// GRANT MATCH {*} ON GRAPH neo4j NODES Entity, Alias TO neurigraph_explorer;
// GRANT MATCH {*} ON GRAPH neo4j RELATIONSHIPS NAMES, MENTIONS, ANCHORED_AT, EVIDENCE, POSSIBLY_SAME, SUPERSEDES, RELATES_TO TO neurigraph_explorer;

// One user's graph and nothing else: a role of its own for each user.
CREATE ROLE neurigraph_user_00000000 IF NOT EXISTS;
GRANT ACCESS ON DATABASE neo4j TO neurigraph_user_00000000;
GRANT MATCH {*} ON GRAPH neo4j FOR (n:Node) WHERE n.user_id = '00000000-0000-0000-0000-000000000000' TO neurigraph_user_00000000;
GRANT MATCH {*} ON GRAPH neo4j FOR (r:Record) WHERE r.user_id = '00000000-0000-0000-0000-000000000000' TO neurigraph_user_00000000;
GRANT MATCH {*} ON GRAPH neo4j FOR (p:Past) WHERE p.user_id = '00000000-0000-0000-0000-000000000000' TO neurigraph_user_00000000;
GRANT MATCH {*} ON GRAPH neo4j RELATIONSHIPS HAS_CHILD, HAD_CHILD, RELATED, SAME_PERSON, SAME_PLACE, SAME_THING, SIMILAR_TO, BELONGS_TO, DEPENDS_ON, LEADS_TO, COVERED_BY, ANSWERED_BY, FINANCED_BY, SOLD_TO, LOOKED_AFTER_BY, INHERITED_FROM, SHARED_WITH, MANAGED_BY, REPLACED_BY, WAS_RELATED, HOLDS, WAS TO neurigraph_user_00000000;
// Entities with their names. Relations have the types of the domain file. A relationship is seen where both of its ends are, so `*` shows no
// other graph.
GRANT MATCH {*} ON GRAPH neo4j FOR (e:Entity) WHERE e.user_id = '00000000-0000-0000-0000-000000000000' TO neurigraph_user_00000000;
GRANT MATCH {*} ON GRAPH neo4j FOR (a:Alias) WHERE a.user_id = '00000000-0000-0000-0000-000000000000' TO neurigraph_user_00000000;
GRANT MATCH {*} ON GRAPH neo4j FOR (c:Community) WHERE c.user_id = '00000000-0000-0000-0000-000000000000' TO neurigraph_user_00000000;
GRANT MATCH {*} ON GRAPH neo4j RELATIONSHIPS * TO neurigraph_user_00000000;
