// Phrase: what changed since $date
// Purpose: facts that began or ended since a day, relations that began, ended or were stated since, and the newest records since.
// Parameters: user_id (whose graph, a text), date (a day as a text).
// Suggestions: date from dates.
// Returns: paths; of records at most 50.
// Example: date "2025-10-01"
CALL () {
  MATCH way = (f:Fact {user_id: $user_id})-[:ABOUT]->(:Entity)
  USING INDEX SEEK f:Fact(user_id, fact_id)
  WHERE f.fact_id IS NOT NULL AND f.status <> 'withdrawn' AND (date(coalesce(f.valid_from, f.said_at, f.known_from)) >= date($date) OR date(f.valid_to) >= date($date))
  RETURN way
  UNION
  MATCH way = (e:Entity {user_id: $user_id})-[r]->(:Entity)
  USING INDEX SEEK e:Entity(user_id, active)
  WHERE e.active IS NOT NULL AND r.relation_id IS NOT NULL AND r.strength > 0 AND size(coalesce(r.archivings, [])) % 2 = 0
    AND (date(r.last_at) >= date($date) OR r.since >= $date OR r.until >= $date)
  RETURN way
  UNION
  MATCH way = (n:Node {user_id: $user_id})-[:HOLDS]->(record:Record)
  USING INDEX SEEK n:Node(user_id, name_key)
  WHERE n.name_key IS NOT NULL AND date(coalesce(record.occurred_at, record.known_from)) >= date($date)
  WITH way, record ORDER BY coalesce(record.occurred_at, record.known_from) DESC LIMIT 50
  RETURN way
}
RETURN way
