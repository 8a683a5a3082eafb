// Purpose: the entities of a graph that names of new records may belong to: those that have one of the names or addresses, or show it, and those whose names share a
//   word with one; and the user of the graph by the name of its root. Other writers than the user meet only those that they may read of,
//   by the names that they may read.
// Parameters: user_id (whose graph), principal and kind (who asks), as_of, known_at and earliest (the end of time is now), keys (normal forms of the
//   names and addresses), text (Lucene query that holds +user_key), most (entities), said (of each at most so many), most_said (none of those with more mentions).
// Returns: entities [{key (null for the user), name, kind, names, said [{text (words around the name), at}] (of some records), corrected (the user corrected its name or kind), verified (normal forms of aliases that the user
//   vouched for); the last two for the user only}], the likeliest first: one row.
CYPHER 25
WITH $as_of AS as_of, part.rights() AS rights
CALL () {
  MATCH (a:Alias {user_id: $user_id})-[:NAMES]->(known:Entity)
  WHERE a.key IN $keys
  RETURN known, 1000.0 AS score
  UNION ALL
  MATCH (known:Entity {user_id: $user_id})  // a second one of a name, which belongs to the first
  WHERE known.name_key IN $keys
  RETURN known, 1000.0 AS score
  UNION ALL
  CALL db.index.fulltext.queryNodes('alias_text', $text, {limit: $most}) YIELD node, score
  MATCH (node)-[:NAMES]->(known:Entity {user_id: $user_id})
  RETURN known, score
  UNION ALL
  MATCH (known:Node {node_id: $user_id})
  RETURN known, 2000.0 AS score
}
WITH as_of, rights, known, max(score) AS score
WHERE known.user_id = $user_id AND CASE WHEN known:Node THEN part.readable(known) ELSE part.mentioned(known) END
WITH as_of, rights, known, score ORDER BY score DESC, known.key LIMIT $most
WITH as_of, rights, known, part.names_used(known) AS names
WITH as_of, rights, known, names, CASE WHEN known:Node OR known.mentions > $most_said THEN [] ELSE part.said_of(known) END AS said,
     CASE WHEN $principal = $user_id OR known:Node OR known.name IN names THEN known.name ELSE head(names) END AS name
WHERE name IS NOT NULL
RETURN collect({key: known.key, name: name, kind: CASE WHEN known:Node THEN '' ELSE part.kind_of(known) END, names: names, said: said,
                verified: CASE WHEN $principal = $user_id THEN [(alias:Alias)-[:NAMES]->(known) WHERE alias.verified | alias.key] ELSE [] END,
                corrected: CASE WHEN $principal = $user_id THEN known.renamed IS NOT NULL OR known.rekinded IS NOT NULL ELSE false END}) AS entities
