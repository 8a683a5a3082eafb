// Purpose: users whose communities are not those that the last build entered: missing, without members, or with those of another user. Operator only.
// Parameters: users [{user_id, communities (how many were entered)}]. Returns: user_id.
CYPHER 25
UNWIND $users AS one
OPTIONAL MATCH (c:Community {user_id: one.user_id})
WITH one, collect(c) AS there
WHERE size(there) <> one.communities
   OR any(c IN there WHERE NOT EXISTS { (:Entity {user_id: one.user_id})-[:IN_COMMUNITY]->(c) })
   OR any(c IN there WHERE EXISTS { (e)-[:IN_COMMUNITY]->(c) WHERE NOT e:Entity OR e.user_id <> one.user_id })
   OR EXISTS { (e:Entity {user_id: one.user_id})-[:IN_COMMUNITY]->(c) WHERE NOT c:Community OR c.user_id <> one.user_id OR c.user_id IS NULL }
RETURN one.user_id AS user_id LIMIT 1000
