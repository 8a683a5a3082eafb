// Purpose: the facts about entities of some users, as the service sees them, regardless of rights: for the leak fuzzer. Service only.
// Parameters: users (ids). Returns: fact_id, entity_id, record_id, live, private; a row for each entity of a fact.
MATCH (e:Entity)<-[:ABOUT]-(f:Fact)
WHERE e.user_id IN $users
RETURN f.fact_id AS fact_id, e.entity_id AS entity_id, f.record_id AS record_id, f.status = 'live' AS live, f.privacy = 'private' AS private
