// Purpose: what ends and what gets weaker when some records are withdrawn, of those that hold. Parameters: user_id, principal and kind (who asks),
//   records (ids), most (relations at most). Returns: mentions (that end), unmentioned (entities that no record mentions then), ending and weaker (relations), relations
//   [{relation_id, relation_type, source_name, target_name, strength, left}] (those with the least left first).
CYPHER 25
OPTIONAL MATCH (n:Node)-[:HOLDS]->(r:Record)
WHERE $principal = $user_id AND trim($kind) = 'user' AND n.user_id = $user_id AND r.record_id IN $records
  AND r.known_to IS NULL AND coalesce(r.valid_to > datetime(), true)
WITH collect(r) AS lines
CALL (lines) {
  UNWIND lines AS line
  MATCH (line)-[m:MENTIONS]->(e:Entity)
  WHERE m.known_to IS NULL
  WITH e, count(m) AS pieces
  RETURN sum(pieces) AS mentions, count(CASE WHEN e.mentions <= pieces THEN 1 END) AS unmentioned
}
CALL (lines) {
  UNWIND lines AS line
  MATCH (line)-[v:EVIDENCE]->(a:Entity)
  WHERE v.known_to IS NULL
  WITH a, v.relation_id AS relation_id, count(v) AS pieces
  MATCH (a)-[relation]->(b:Entity)
  WHERE relation.relation_id = relation_id
  WITH a, b, relation, relation.strength - pieces AS left ORDER BY left, relation.relation_id
  RETURN count(CASE WHEN left <= 0 THEN 1 END) AS ending, count(CASE WHEN left > 0 THEN 1 END) AS weaker,
         collect({relation_id: relation.relation_id, relation_type: relation.name, source_name: a.name, target_name: b.name, strength: relation.strength,
                  left: left})[..$most] AS relations
}
RETURN mentions, unmentioned, ending, weaker, relations
