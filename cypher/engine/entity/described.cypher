// Purpose: who or what is known by a name, or has a key, with the names and the strongest relations that all may know who read a certain node: of
//   what no private record says alone. For the user of the graph.
// Parameters: user_id (whose graph), principal and kind (who asks), as_of, known_at, asked [{number, name (normal form, or empty), key (of an entity,
//   or empty), node (node_id: only what records of that node say; empty: of any)}], most (relations of one entity).
// Returns: number, key, kind, names (as written, the longest first), relations [{type, outgoing, other, since}]; those whom no such record names
//   are left out.
CYPHER 25
WITH $as_of AS as_of
UNWIND $asked AS one
CALL (one) {
  MATCH (:Alias {user_id: $user_id, type: 'name', key: one.name})-[:NAMES]->(found:Entity)
  RETURN found
  UNION
  MATCH (found:Entity {user_id: $user_id, key: one.key})
  RETURN found
}
MATCH (n:Entity)-[merges:SUPERSEDES*0..]->(found)
WHERE $principal = $user_id AND trim($kind) = 'user' AND n.user_id = $user_id
  AND all(merge IN merges WHERE part.holds(merge)) AND NOT EXISTS { (:Entity)-[merge:SUPERSEDES]->(n) WHERE part.holds(merge) }
WITH as_of, one, found, n, COLLECT {
  MATCH (n)-[below:SUPERSEDES*0..]->(member:Entity)<-[mention:MENTIONS]-(r:Record)<-[:HOLDS]-(place:Node)
  WHERE all(merge IN below WHERE part.holds(merge)) AND part.holds(mention) AND part.holds(r)
    AND coalesce(r.privacy, 'org') <> 'private' AND one.node IN ['', place.node_id]
  WITH mention LIMIT 500
  UNWIND mention.names AS key
  MATCH (alias:Alias {user_id: $user_id, type: 'name', key: key})
  WITH DISTINCT alias.value AS value
  RETURN value ORDER BY size(value) DESC, value LIMIT 4
} AS names
WHERE size(names) > 0
RETURN one.number AS number, found.key AS key, n.kind AS kind, names, COLLECT {
  MATCH (n)-[below:SUPERSEDES*0..]->(member:Entity)
  WHERE all(merge IN below WHERE part.holds(merge))
  MATCH (member)-[relation]-(other:Entity)
  WHERE relation.strength > 0 AND (relation.until IS NULL OR relation.until > toString(date(as_of)))
    AND NOT part.archived(relation)
  WITH member, relation, other ORDER BY relation.strength DESC, relation.confidence DESC, relation.relation_id LIMIT 50
  MATCH (:Entity)<-[v:EVIDENCE {relation_id: relation.relation_id}]-(r:Record)<-[:HOLDS]-(place:Node) USING INDEX SEEK v:EVIDENCE(relation_id)
  WHERE part.holds(v) AND part.holds(r) AND coalesce(r.privacy, 'org') <> 'private' AND one.node IN ['', place.node_id] AND NOT v.ended
  MATCH (r)-[mention:MENTIONS]->(other)
  WHERE part.holds(mention)
  UNWIND mention.names AS key
  MATCH (alias:Alias {user_id: $user_id, type: 'name', key: key})
  WITH relation, startNode(relation) = member AS outgoing, v.since AS since, alias.value AS called ORDER BY size(called) DESC, called
  WITH relation, outgoing, head(collect(called)) AS called, min(since) AS since ORDER BY relation.strength DESC, relation.confidence DESC, relation.relation_id LIMIT $most
  RETURN {type: relation.name, outgoing: outgoing, other: called, since: since}
} AS relations
LIMIT 1000
