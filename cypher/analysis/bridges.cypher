// Purpose: relations that lead from one community to another one, those that most records state first. Without those that are over or set aside.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: entity, relation, other, records.
// Index: community_user.
// Result on the bundled history:
//   entity         relation    other          records
//   Bob Harlan     IN_LAW_OF   Dave Kowalski  1
//   Bob Harlan     SIBLING_OF  Ellen          1
//   Dave Kowalski  WORKS_FOR   Bob Harlan     1
CYPHER 25
MATCH (c:Community {user_id: $user_id})
USING INDEX SEEK c:Community(user_id)
MATCH (c)<-[:IN_COMMUNITY]-(:Entity)-[one:SUPERSEDES WHERE one.known_to IS NULL]->*(a:Entity)-[relation]->(b:Entity)
      <-[two:SUPERSEDES WHERE two.known_to IS NULL]-*(:Entity)-[:IN_COMMUNITY]->(other:Community)
WHERE relation.strength > 0 AND relation.until IS NULL AND size(coalesce(relation.archivings, [])) % 2 = 0 AND c <> other
WITH DISTINCT a, relation, b
RETURN a.name AS entity, relation.name AS relation, b.name AS other, relation.strength AS records
ORDER BY records DESC, entity, relation, other LIMIT $limit
