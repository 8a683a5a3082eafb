// Purpose: what these records and what the others call the entities that they mention: before the first are erased. For the service.
// Parameters: user_id, records (ids). Returns: entity_id, key, kind, erased (normal forms of names that these records use of it), names (that others do, or the user gave; that of the user), first (that
//   the first of the others uses), stays (others mention it), nameless (one of the others by no name, as `my sister`), made (one of the others made it), aliases (normal forms of all names of it), schemas (of nodes
//   where records mention it).
CYPHER 25
UNWIND $records AS record_id
MATCH (r:Record {record_id: record_id})
WHERE r.user_id = $user_id
MATCH (r)-[m:MENTIONS]->(e:Entity)
WITH e, collect(m.names) AS names
WITH e, reduce(all = [], some IN names | all + [one IN some WHERE NOT one IN all]) AS erased, COLLECT {
  MATCH (e)<-[m:MENTIONS]-(line:Record)
  WHERE NOT line.record_id IN $records
  RETURN {names: m.names, made: m.known_from = e.known_from} ORDER BY size(m.names) = 0, m.known_from, line.record_id
} AS others
RETURN e.entity_id AS entity_id, e.key AS key, e.kind AS kind, erased,
       COLLECT { UNWIND others AS other UNWIND other.names AS name RETURN DISTINCT name } + coalesce(e.given_names, [])
         + CASE WHEN e.renamed IS NULL OR e.name_key IS NULL THEN [] ELSE [e.name_key] END
         + COLLECT { MATCH (root:Node {node_id: $user_id}) RETURN root.name_key } AS names,
       coalesce(others[0].names, []) AS first, size(others) > 0 AS stays, any(other IN others WHERE size(other.names) = 0) AS nameless,
       any(other IN others WHERE other.made) AS made, [(alias:Alias {type: 'name'})-[:NAMES]->(e) | alias.key] AS aliases,
       COLLECT { MATCH (e)<-[:MENTIONS]-(:Record)<-[:HOLDS]-(n:Node) RETURN DISTINCT n.schema_name } AS schemas
