// Purpose: all nodes of a user with one label, in any order. Service only: archives of the user.
// Parameters: user_id, label (Node, Past, Record, Entity, Alias, Fact, Community or Subject). Returns: labels, properties.
CYPHER 25
CALL () {
  UNWIND CASE $label WHEN 'Node' THEN [1] ELSE [] END AS asked
  MATCH (n:Node {user_id: $user_id}) WHERE n.name_key IS NOT NULL
  RETURN n
  UNION ALL
  UNWIND CASE $label WHEN 'Past' THEN [1] ELSE [] END AS asked
  MATCH (n:Past {user_id: $user_id}) WHERE n.slice_id IS NOT NULL
  RETURN n
  UNION ALL
  UNWIND CASE $label WHEN 'Record' THEN [1] ELSE [] END AS asked
  MATCH (n:Record {user_id: $user_id}) WHERE n.record_id IS NOT NULL
  RETURN n
  UNION ALL
  UNWIND CASE $label WHEN 'Entity' THEN [1] ELSE [] END AS asked
  MATCH (n:Entity {user_id: $user_id}) WHERE n.key IS NOT NULL
  RETURN n
  UNION ALL
  UNWIND CASE $label WHEN 'Alias' THEN [1] ELSE [] END AS asked
  MATCH (n:Alias {user_id: $user_id}) WHERE n.key IS NOT NULL
  RETURN n
  UNION ALL
  UNWIND CASE $label WHEN 'Fact' THEN [1] ELSE [] END AS asked
  MATCH (n:Fact {user_id: $user_id}) WHERE n.fact_id IS NOT NULL
  RETURN n
  UNION ALL
  UNWIND CASE $label WHEN 'Community' THEN [1] ELSE [] END AS asked
  MATCH (n:Community {user_id: $user_id})
  RETURN n
  UNION ALL
  UNWIND CASE $label WHEN 'Subject' THEN [1] ELSE [] END AS asked
  MATCH (:Node {user_id: $user_id})<-[:GRANTED {user_id: $user_id}]-(n:Subject)
  RETURN DISTINCT n
}
RETURN labels(n) AS labels, properties(n) AS properties
