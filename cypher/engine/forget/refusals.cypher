// Purpose: forgets of which entities the user took names, where these entities are gone; such a name that leads to none goes with the last of them. A page. Idempotent.
// Parameters: user_id, after (key of an alias), most. Returns: after (null: there are no more), gone (aliases).
CYPHER 25
CALL () {
  MATCH (a:Alias {user_id: $user_id})
  WHERE a.key >= $after
  RETURN a ORDER BY a.key LIMIT $most
}
WITH collect(a) AS page
WITH page, CASE WHEN size(page) = $most THEN nullIf(last(page).key, $after) END AS after
CALL (page) {
  UNWIND page AS a
  WITH a WHERE a.not_of IS NOT NULL
  WITH a, COLLECT { UNWIND a.not_of AS entity_id MATCH (e:Entity {entity_id: entity_id}) RETURN entity_id } AS kept
  WHERE size(kept) < size(a.not_of)
  SET a.not_of = nullIf(kept, [])
  WITH a WHERE a.not_of IS NULL AND NOT EXISTS { (a)-[:NAMES]->(:Entity) } AND a.withdrawn IS NULL
  DETACH DELETE a
  RETURN count(*) AS gone
}
RETURN after, gone
