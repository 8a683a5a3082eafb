// Purpose: makes the communities of a user's graph, and importance and summary of its entities, those that a build found; links nodes with the entities that they are about. For the service. Idempotent: a build
//   that read the graph before the one that was entered last, or before something was erased, changes nothing.
// Parameters: user_id, built_at (when it read), communities [{community_id, name, size, summary, fingerprint, vector (or null), vector_version (or null), members (entity
//   ids)}], entities [{entity_id, importance, summary, summary_of (relation ids)}].
// Returns: communities (how many there are); no row where nothing is changed.
CYPHER 25
MATCH (u:Node {node_id: $user_id})
SET u.derived_at = coalesce(u.derived_at, datetime({epochSeconds: 0}))  // takes the lock
WITH u WHERE u.derived_at <= $built_at AND coalesce(u.forgotten_at <= $built_at, true)
SET u.derived_at = $built_at
WITH u, [one IN $communities | one.community_id] AS kept, [one IN $entities | one.entity_id] AS known
CALL (kept) {
  MATCH (c:Community {user_id: $user_id}) WHERE NOT c.community_id IN kept
  DETACH DELETE c
}
CALL () {
  UNWIND $communities AS row
  MERGE (c:Community {community_id: row.community_id})
  SET c.user_id = $user_id, c.name = row.name, c.size = row.size, c.summary = row.summary, c.vector = row.vector, c.vector_version = row.vector_version,
      c.updated_at = CASE WHEN c.fingerprint = row.fingerprint THEN c.updated_at ELSE $built_at END, c.fingerprint = row.fingerprint
  WITH row, c
  CALL (row, c) {
    MATCH (e)-[i:IN_COMMUNITY]->(c) WHERE NOT e.entity_id IN row.members
    DELETE i
  }
  UNWIND row.members AS member
  MATCH (e:Entity {entity_id: member})
  MERGE (e)-[:IN_COMMUNITY]->(c)
}
CALL () {
  UNWIND $entities AS row
  MATCH (e:Entity {entity_id: row.entity_id})
  SET e.importance = row.importance, e.summary = row.summary, e.summary_of = row.summary_of
}
CALL (known) {
  MATCH (e:Entity {user_id: $user_id}) WHERE e.key IS NOT NULL AND e.importance IS NOT NULL AND NOT e.entity_id IN known
  REMOVE e.importance, e.summary, e.summary_of
}
CALL () {  // a node is about the entity that its name means, where no other one may be meant and records there or below mention it
  MATCH (n:Node {user_id: $user_id})
  WHERE n.node_id <> $user_id
  OPTIONAL MATCH (:Alias {user_id: $user_id, type: 'name', key: n.name_key})-[:NAMES]->(named:Entity)<-[merges:SUPERSEDES*0..8]-(e:Entity)
  WHERE all(merge IN merges WHERE merge.known_to IS NULL) AND e.active
    AND EXISTS { UNWIND named.places AS place MATCH (:Node {node_id: left(place, 36)})<-[:HAS_CHILD*0..5]-(n) RETURN place }
    AND NOT EXISTS {
      MATCH (other:Entity {user_id: $user_id})
      WHERE other.name_key STARTS WITH n.name_key AND (other.name_key = n.name_key OR other.name_key STARTS WITH n.name_key + ' ' AND other.kind = e.kind)
        AND other.active AND other <> e AND other <> named
    }
  WITH n, head(collect(e)) AS e
  CALL (n, e) {
    MATCH (n)-[about:IS_ABOUT]->(other:Entity) WHERE coalesce(other <> e, true)
    DELETE about
  }
  FOREACH (_ IN CASE WHEN e IS NULL THEN [] ELSE [1] END | MERGE (n)-[about:IS_ABOUT]->(e) ON CREATE SET about.since = $built_at, e.lone = false)
}
RETURN size(kept) AS communities
