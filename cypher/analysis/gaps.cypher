// Purpose: the longest times of which there is no record.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: days (between the two), after and until (the days of the records before and after).
// Index: node_name.
// Result on the bundled history with limit 4:
//   days  after       until
//   283   2023-06-01  2024-03-10
//   66    2024-08-11  2024-10-16
//   63    2025-01-12  2025-03-16
//   57    2025-06-22  2025-08-18
CYPHER 25
MATCH (n:Node {user_id: $user_id})-[:HOLDS]->(r:Record)
USING INDEX SEEK n:Node(user_id, name_key)
WHERE n.name_key IS NOT NULL AND r.known_to IS NULL AND coalesce(r.valid_to > r.known_from, true)
WITH DISTINCT date(coalesce(r.occurred_at, r.known_from)) AS day ORDER BY day
WITH collect(day) AS days
UNWIND range(1, size(days) - 1) AS number
RETURN duration.inDays(days[number - 1], days[number]).days AS days, days[number - 1] AS after, days[number] AS until
ORDER BY days DESC, after LIMIT $limit
