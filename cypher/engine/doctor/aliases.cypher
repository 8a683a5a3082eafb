// Purpose: names that belong to no entity, but for those that the user took away or that no record uses any more, by user. Operator only, all users. Parameters: limit. Returns: user_id, aliases (how many).
MATCH (a:Alias)
WHERE NOT EXISTS { (a)-[:NAMES]->(:Entity) } AND a.not_of IS NULL AND a.withdrawn IS NULL
RETURN a.user_id AS user_id, count(*) AS aliases ORDER BY user_id LIMIT $limit
