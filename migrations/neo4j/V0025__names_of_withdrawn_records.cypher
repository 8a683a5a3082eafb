// A name that no record uses any more that holds leads to its entity no longer, and is not its display name: for what was withdrawn, ended or changed before this
// release. What the user gave an entity stays. See cypher/engine/parts/renamed_by_records.cypher.
//
//   (:Alias {…, withdrawn})     without an entity, because no record calls the one so that had it
//   (:Entity {…, name_key, names_withdrawn, withdrawn_at})    no normal form where its name is its kind, or of what was merged into it; names until a time

UNWIND ['withdrawn', 'names_withdrawn', 'withdrawn_at'] AS name CALL db.createProperty(name);

MATCH (e:Entity)<-[:NAMES]-(a:Alias)
WHERE a.type = 'name' AND NOT a.verified AND NOT a.key IN coalesce(e.given_names, []) AND NOT EXISTS {
  (e)<-[m:MENTIONS]-(r:Record)
  WHERE m.known_to IS NULL AND r.known_to IS NULL AND coalesce(r.valid_to > r.known_from, true) AND a.key IN m.names
}
CALL (a) {
  MATCH (a)-[leads:NAMES]->(:Entity)
  DELETE leads
  SET a.withdrawn = true
} IN TRANSACTIONS OF 1000 ROWS;

MATCH (e:Entity)
WHERE e.renamed IS NULL AND EXISTS { (e)<-[m:MENTIONS]-(:Record) WHERE e.name_key IN m.names } AND NOT EXISTS { (:Node {node_id: e.user_id, name_key: e.name_key}) }
  AND NOT EXISTS {
    (e)<-[m:MENTIONS]-(r:Record)
    WHERE m.known_to IS NULL AND r.known_to IS NULL AND coalesce(r.valid_to > r.known_from, true) AND e.name_key IN m.names
  }
CALL (e) {
  WITH e, COLLECT {
    MATCH (a:Alias)-[:NAMES]->(e) WHERE a.type = 'name'
    RETURN a ORDER BY size(a.value) DESC, a.known_from, a.key LIMIT 1
  }[0] AS longest, COLLECT {
    MATCH (e)-[below:SUPERSEDES*1..]->(member:Entity)<-[:NAMES]-(a:Alias)
    WHERE all(merge IN below WHERE merge.known_to IS NULL) AND a.type = 'name'
    RETURN a.value ORDER BY size(a.value) DESC, a.value LIMIT 1
  }[0] AS merged
  SET e.names_withdrawn = [e.name], e.withdrawn_at = [datetime()]
  SET e.name = coalesce(longest.value, merged, e.kind), e.name_key = longest.key
} IN TRANSACTIONS OF 1000 ROWS;
