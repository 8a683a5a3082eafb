// Purpose: intentions that records of today state, those that are due first, then the newest; of merged entities as of the whole. For the user.
// Parameters: user_id (whose graph), principal and kind (who asks: only the user sees all of a graph), as_of, known_at (the end of time is now),
//   state (or empty: all), entity_id (of whom, or empty), intention_id (that one alone, or empty), limit.
// Returns: intention_id, entity_id, entity_name, text, state, due, said_at, state_at, reason, record_id, node_id, title, item_id, span.
CYPHER 25
WITH $as_of AS as_of
MATCH (n:Node)-[:HOLDS]->(r:Record)-[i:INTENDS {user_id: $user_id}]->(member:Entity)
WHERE $principal = $user_id AND trim($kind) = 'user' AND n.user_id = $user_id AND part.holds(i) AND part.holds(r) AND $state IN ['', i.state] AND $intention_id IN ['', i.intention_id]
MATCH (e:Entity)-[merges:SUPERSEDES*0..]->(member)
WHERE all(merge IN merges WHERE part.holds(merge)) AND NOT EXISTS { (:Entity)-[merge:SUPERSEDES]->(e) WHERE part.holds(merge) }
  AND $entity_id IN ['', e.entity_id, member.entity_id]
RETURN i.intention_id AS intention_id, e.entity_id AS entity_id, e.name AS entity_name, i.text AS text, i.state AS state, i.due AS due,
       coalesce(r.occurred_at, r.known_from) AS said_at, i.state_at AS state_at, i.reason AS reason, r.record_id AS record_id, n.node_id AS node_id, r.title AS title,
       i.item_id AS item_id, i.span AS span
ORDER BY due IS NULL, due, said_at DESC, intention_id LIMIT $limit
