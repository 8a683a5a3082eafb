// Purpose: facts of records in the graph, about all that their records mention, as an ingest with a model would enter them, and what a job derives of
//   entities, and what the user decides of entities and relations: for the leak fuzzer. Service only.
// Parameters: facts [{fact_id, record_id, user_id, status, privacy}], users (ids). Returns: nothing.
CYPHER 25
UNWIND $facts AS row
MATCH (r:Record {record_id: row.record_id})
CREATE (r)-[:STATES {fact_id: row.fact_id}]->(f:Fact {fact_id: row.fact_id, user_id: row.user_id, record_id: row.record_id, status: row.status,
                                                     privacy: row.privacy, scope: 'user', revision: 1})
WITH r, f
MATCH (r)-[m:MENTIONS]->(e:Entity)
WHERE m.known_to IS NULL
MERGE (f)-[:ABOUT]->(e)
SET e.lone = false
WITH count(*) AS stated
MATCH (e:Entity)
WHERE e.user_id IN $users
SET e.importance = 0.5, e.summary = 'What is known.', e.summary_of = [], e.access_count = 1, e.last_accessed_at = datetime(), e.fact_count = COUNT { (e)<-[:ABOUT]-(:Fact {status: 'live'}) }
WITH count(*) AS entities
CALL () {
  MATCH (e:Entity)
  WHERE e.user_id IN $users AND e.entity_id < '8'
  SET e.lone = false, e.names_before = [e.name], e.kinds_before = [e.kind], e.renamed = [datetime()], e.rekinded = [datetime()], e.given_at = [datetime()]
  SET e.name = 'Corrected ' + e.entity_id, e.kind = 'event', e.name_key = 'corrected ' + e.entity_id, e.given_names = ['corrected ' + e.entity_id]
  MERGE (a:Alias {user_id: e.user_id, type: 'name', key: e.name_key})
    ON CREATE SET a.user_key = replace(e.user_id, '-', ''), a.value = e.name, a.name = e.name, a.verified = true, a.known_from = datetime()
  MERGE (a)-[:NAMES]->(e)
  CREATE (:Alias {user_id: e.user_id, user_key: a.user_key, type: 'email', key: e.entity_id + '@example.org', value: e.entity_id + '@example.org',
                  name: e.entity_id + '@example.org', verified: true, known_from: datetime()})-[:NAMES]->(e)
}
CALL () {
  MATCH (e:Entity)-[:ANCHORED_AT]->(n:Node)
  WHERE e.user_id IN $users AND e.entity_id < 'c'  // of the others some are mentioned once, and no more
  MERGE (n)-[:IS_ABOUT]->(e)
  SET e.lone = false
}
CALL () {
  MATCH (:Record)-[v:EVIDENCE]->(e:Entity)-[relation]->(:Entity)
  WHERE e.user_id IN $users AND relation.relation_id = v.relation_id
  SET v.fact_id = randomUUID(), relation.properties = '{"note": "the user\'s own"}'
}
