// Purpose: sees to names that erased records used: one that no record uses any more goes, but for one that the user gave an entity; one that records use of another
//   entity leads to that. Idempotent. Parameters: user_id, keys (normal forms of these names), entities (ids of those that erased records mentioned), text (Lucene query that holds +user_key: names that share a word with
//   one), most (of those). Returns: counts, by label and type.
CYPHER 25
CALL () {
  CALL db.index.fulltext.queryNodes('alias_text', $text, {limit: $most}) YIELD node
  MATCH (node)-[:NAMES]->(e:Entity)
  WHERE e.user_id = $user_id
  RETURN collect({key: node.key, entity: e}) AS near
}
UNWIND $keys AS key
MATCH (a:Alias {user_id: $user_id, type: 'name', key: key})
SET a.key = a.key  // takes the lock
WITH near, a, split(a.key, ' ') AS words
CALL (near, a, words) {
  MATCH (a)-[:NAMES]->(e:Entity)
  RETURN e
  UNION
  MATCH (e:Entity {user_id: $user_id})
  WHERE e.name_key = a.key
  RETURN e
  UNION
  UNWIND [one IN near WHERE any(word IN words WHERE one.key CONTAINS word) | one.entity] AS e
  RETURN e
  UNION
  UNWIND $entities AS entity_id  // also names that only withdrawn records use stay theirs
  MATCH (e:Entity {entity_id: entity_id})
  WHERE e.user_id = $user_id
  RETURN e
  UNION
  RETURN null AS e
}
WITH a, e, coalesce(a.key IN e.given_names, false) AS given
WITH a, e, given, given OR e IS NOT NULL AND EXISTS { MATCH (e)<-[m:MENTIONS]-(:Record) WHERE a.key IN m.names } AS said
WITH a, e, said, given OR said AND a.key IN part.used(e) AS used ORDER BY e.known_from, e.key
WITH a, true IN collect(said) AS said, head(collect(CASE WHEN used AND NOT e.entity_id IN coalesce(a.not_of, []) THEN e END)) AS heir,
     EXISTS { (a)-[:NAMES]->(:Entity) } AS leads
WITH a, heir, leads, said OR a.verified AND leads AS stays
FOREACH (e IN CASE WHEN stays AND NOT leads AND heir IS NOT NULL THEN [heir] ELSE [] END | CREATE (a)-[:NAMES]->(e))
SET a.withdrawn = CASE WHEN stays AND NOT leads AND heir IS NULL THEN true END
WITH a, stays, COUNT { (a)-[:NAMES]->() } AS links
FOREACH (_ IN CASE WHEN stays THEN [] ELSE [1] END | DETACH DELETE a)
RETURN [['Alias', count(CASE WHEN NOT stays THEN 1 END)], ['NAMES', sum(CASE WHEN NOT stays THEN links ELSE 0 END)]] AS counts
