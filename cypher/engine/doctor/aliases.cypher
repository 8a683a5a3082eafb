// Purpose: names that belong to no entity, by user. Operator only, all users. Parameters: limit. Returns: user_id, aliases (how many).
MATCH (a:Alias)
WHERE NOT EXISTS { (a)-[:NAMES]->(:Entity) }
RETURN a.user_id AS user_id, count(*) AS aliases ORDER BY user_id LIMIT $limit
