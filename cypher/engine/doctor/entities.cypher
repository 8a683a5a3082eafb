// Purpose: which of these entities do not fit what the graph holds of them. Operator only, all users.
// Parameters: entities (ids), labels (of Neo4j, by kind), reader (version: records that an older one read may still mention one).
// Returns: entity_id, user_id, counts (mentions in all or at a node, or facts, are others than it says, or it leads to others than the three nodes with most), relations (how many from it say another strength, confidence
//   or end than their evidence), lost (pieces of evidence that are missing, or are of no relation), left_over (nothing mentions it or ever did, and no
//   merge has it), kinds (its kind is another than its key, its mentions or the user say), unlabelled (with another label than that of the kind that it must have), merges (they go in a circle, two hold it, or it does not know that it is part of another),
//   names (one leads to it that no record uses, or none does that one uses; its display name is none of them), called (its display name and the normal form of it, where records give it).
CYPHER 25
UNWIND $entities AS wanted
MATCH (e:Entity {entity_id: wanted})
WITH e, part.used(e) AS used
CALL (e) {
  OPTIONAL MATCH (e)<-[m:MENTIONS]-(:Record)<-[:HOLDS]-(n:Node)
  WHERE m.known_to IS NULL
  WITH n.node_id AS node_id, count(m) AS mentions
  WITH node_id + ' ' + mentions AS place ORDER BY place
  RETURN collect(place) AS places
}
CALL (e) {
  OPTIONAL MATCH (e)-[relation]->(:Entity)
  WHERE relation.relation_id IS NOT NULL
  WITH e, relation, COLLECT { MATCH (e)<-[v:EVIDENCE {relation_id: relation.relation_id}]-(:Record) WHERE v.known_to IS NULL RETURN v.weight } AS weights
  WITH relation, size(weights) AS strength, 1 - reduce(doubt = 1.0, weight IN weights | doubt * (1 - weight)) AS confidence
  RETURN count(CASE WHEN relation.strength <> strength OR abs(relation.confidence - confidence) > 0.000001 OR (strength = 0) <> (relation.known_to IS NOT NULL)
                    THEN relation END) AS relations,
         sum(CASE WHEN relation.strength > strength THEN relation.strength - strength ELSE 0 END) AS without, collect(relation.relation_id) AS ids
}
WITH e, part.kind_kept(e) AS kind, used, places, relations, without + COUNT { (e)<-[v:EVIDENCE]-(:Record) WHERE NOT v.relation_id IN ids } AS lost,
     COUNT { (:Entity)-[merge:SUPERSEDES]->(e) WHERE merge.known_to IS NULL } AS wholes
RETURN e.entity_id AS entity_id, e.user_id AS user_id,
       coalesce(e.mentions <> COUNT { (e)<-[m:MENTIONS]-(:Record) WHERE m.known_to IS NULL }, true)
         OR coalesce(e.fact_count, 0) <> COUNT { (e)<-[:ABOUT]-(f:Fact) WHERE f.status = 'live' }
         OR places <> COLLECT { UNWIND coalesce(e.places, []) AS place RETURN place ORDER BY place }
         OR COLLECT { UNWIND part.strongest(e) AS place RETURN place ORDER BY place }
            <> COLLECT { MATCH (e)-[a:ANCHORED_AT]->(n:Node) WITH n.node_id + ' ' + coalesce(a.mentions, -1) AS place RETURN place ORDER BY place } AS counts,
       relations, lost,
       NOT EXISTS { (e)<-[:MENTIONS]-(:Record) } AND NOT EXISTS { (e)-[:SUPERSEDES]-(:Entity) }
         AND NOT EXISTS { (:Node {user_id: e.user_id})-[:HOLDS]->(r:Record) WHERE coalesce(r.mentions_reader, 0) < $reader } AS left_over,
       coalesce(e.kind <> kind, true) AS kinds,
       size(labels(e)) < 2 OR coalesce([label IN labels(e) WHERE label <> 'Entity'] <> [$labels[kind]], false) AS unlabelled,
       wholes > 1 OR coalesce(e.active <> (wholes = 0), true)
         OR EXISTS { (e)-[merges:SUPERSEDES*1..]->(e) WHERE all(merge IN merges WHERE merge.known_to IS NULL) } AS merges,
       EXISTS { (:Record)-[:MENTIONS]->(e) } AND (part.withdrawn(e, used) AND (e.name_key IS NOT NULL OR size(used) > 0)
         OR EXISTS { (a:Alias {type: 'name'})-[:NAMES]->(e) WHERE NOT a.verified AND NOT a.key IN used + coalesce(e.given_names, []) }
         OR EXISTS { UNWIND used AS key WITH key WHERE NOT EXISTS { MATCH (a:Alias {user_id: e.user_id, type: 'name', key: key})
              WHERE a.withdrawn OR a.not_of IS NOT NULL OR EXISTS { (a)-[:NAMES]->(:Entity) } } RETURN key }) AS names,
       CASE WHEN e.renamed IS NULL AND size(used) > 0 AND e.name_key IS NOT NULL THEN [e.name, e.name_key] END AS called
LIMIT 10000
