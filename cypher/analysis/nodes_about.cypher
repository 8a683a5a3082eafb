// Purpose: nodes whose name means an entity, as the job `communities` last found.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: node (its path below the root), entity, kind, records (that mention it anywhere).
// Index: node_id.
// Result on the bundled history:
//   node                        entity         kind    records
//   Business/Employees/Dave     Dave Kowalski  person  41
//   Business/Employees/Luis     Luis Ortega    person  10
//   Family/Marianne             Marianne       person  16
//   Family/Siblings/Ellen       Ellen          person  23
//   Family/Siblings/Ellen/Dave  Dave Kowalski  person  41
//   Hobbies/Fishing/Dave        Dave Kowalski  person  41
CYPHER 25
MATCH way = (root:Node {node_id: $user_id})-[:HAS_CHILD*0..5]->(n:Node)-[:IS_ABOUT]->(e:Entity)
USING INDEX SEEK root:Node(node_id)
RETURN substring(reduce(path = '', p IN tail(nodes(way)[..-1]) | path + '/' + p.name), 1) AS node, e.name AS entity, e.kind AS kind, COUNT { MATCH (e)-[merge:SUPERSEDES WHERE merge.known_to IS NULL]->*(:Entity)<-[m:MENTIONS]-(r:Record) WHERE m.known_to IS NULL AND r.known_to IS NULL AND coalesce(r.valid_to > r.known_from, true) RETURN DISTINCT r } AS records
ORDER BY node, entity LIMIT $limit
