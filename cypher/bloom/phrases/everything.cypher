// Phrase: everything about $entity
// Purpose: what the graph knows of an entity now: relations that hold, live facts without plans whose day has passed, the nodes that speak of it most, its community, what it was merged with.
// Parameters: user_id (whose graph, a text), entity (one of its names).
// Suggestions: entity from names.
// Returns: paths.
// Example: entity "Ellen"
MATCH (called:Alias {user_id: $user_id, key: toLower($entity)})-[:NAMES]->(:Entity)-[merges:SUPERSEDES*0..8]-(e:Entity)
USING INDEX SEEK called:Alias(user_id, key)
WHERE all(merge IN merges WHERE merge.known_to IS NULL)
CALL (e) {
  MATCH way = (e) RETURN way
  UNION
  MATCH way = (e)-[r]-(:Entity) WHERE r.strength > 0 AND size(coalesce(r.archivings, [])) % 2 = 0 AND coalesce(r.until > toString(date()), true) RETURN way
  UNION
  MATCH way = (e)-[merge:SUPERSEDES]-(:Entity) WHERE merge.known_to IS NULL RETURN way
  UNION
  MATCH way = (e)<-[:ABOUT]-(f:Fact {status: 'live'}) WHERE coalesce(f.holds_until > datetime(), true) RETURN way
  UNION
  MATCH way = (e)-[:IN_COMMUNITY]->(:Community) RETURN way
  UNION
  MATCH way = (e)<-[:IS_ABOUT]-(:Node) RETURN way
  UNION
  MATCH way = (e)-[:ANCHORED_AT]->(:Node) RETURN way
}
RETURN DISTINCT way
