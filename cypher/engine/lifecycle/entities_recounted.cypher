// Purpose: makes entities say what the graph holds of them: mentions in all and at nodes, strength and end of relations, the kind that their key, their mentions and
//   the user say, with its label alone, whether they are part of another. One page. Operator only. Idempotent. Parameters: user_id, labels (by kind), after (entity id), limit. Returns: entity_id.
CYPHER 25
MATCH (e:Entity {user_id: $user_id}) WHERE e.entity_id > $after
WITH e ORDER BY e.entity_id LIMIT $limit
SET e.mentions = e.mentions  // takes the lock: waits for concurrent changes of the counts
WITH e
CALL (e) {
  OPTIONAL MATCH (e)<-[m:MENTIONS]-(:Record) WHERE m.known_to IS NULL
  WITH e, count(m) AS mentions, NOT EXISTS { (:Entity)-[merge:SUPERSEDES]->(e) WHERE merge.known_to IS NULL } AS active
  WITH e, mentions, active, part.kind_kept(e) AS kind
  WITH e, mentions, active, CASE WHEN $labels[kind] IS NULL THEN 'thing' ELSE kind END AS kind, coalesce($labels[kind], 'Thing') AS label
  REMOVE e:$([one IN labels(e) WHERE NOT one IN ['Entity', label]])
  SET e.mentions = mentions, e.fact_count = COUNT { (e)<-[:ABOUT]-(f:Fact) WHERE f.status = 'live' }, e.active = active, e.kind = kind, e:$(label)
}
SET e.places = COLLECT {
  MATCH (e)<-[m:MENTIONS]-(:Record)<-[:HOLDS]-(n:Node) WHERE m.known_to IS NULL
  WITH n.node_id AS node_id, count(m) AS mentions
  RETURN node_id + ' ' + mentions
}
WITH e
CALL (e) { part.anchored(e) }
CALL (e) {  // a display name that is not the one of its normal form is none
  WITH e, part.used(e) AS used
  WITH e, used, COLLECT { MATCH (a:Alias {user_id: e.user_id, type: 'name', key: e.name_key}) RETURN toLower(a.value) } AS names
  SET e.name_key = CASE WHEN e.renamed IS NULL AND size(used) > 0 AND size(names) > 0 AND NOT toLower(e.name) IN names THEN null ELSE e.name_key END
  WITH e, datetime() AS at
  part.renamed_by_records(e, at)
}
CALL (e) {
  MATCH (e)-[relation]->(:Entity) WHERE relation.relation_id IS NOT NULL
  WITH e, relation, COLLECT { MATCH (e)<-[v:EVIDENCE {relation_id: relation.relation_id}]-(:Record) RETURN v } AS given
  WITH relation, [v IN given WHERE v.known_to IS NULL | v.weight] AS weights,
       reduce(last = null, v IN given | CASE WHEN v.known_to > coalesce(last, datetime({epochSeconds: 0})) THEN v.known_to ELSE last END) AS last
  SET relation.strength = size(weights), relation.confidence = 1 - reduce(doubt = 1.0, weight IN weights | doubt * (1 - weight)),
      relation.known_to = CASE size(weights) WHEN 0 THEN coalesce(relation.known_to, last, datetime()) END
}
RETURN e.entity_id AS entity_id ORDER BY entity_id
