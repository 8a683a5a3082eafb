// Purpose: keeps the word of the user that two entities are not one. Idempotent. Parameters: apart {pair_id, user_id, at}.
// Returns: pair_id; no row when there is no such pair.
MATCH (n:Entity)-[p:POSSIBLY_SAME {pair_id: $apart.pair_id}]->(:Entity)
WHERE n.user_id = $apart.user_id
SET p.decided = 'apart', p.decided_at = coalesce(p.decided_at, datetime($apart.at))
RETURN p.pair_id AS pair_id
