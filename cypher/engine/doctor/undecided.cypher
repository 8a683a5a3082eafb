// Purpose: which of these finished changes the graph does not show, though what they change is there: what the user decided of entities, relations and intentions,
//   withdrawals of what a record speaks of, and what records mention and relate, as they were found when they were stored. A decision that changed nothing at its time is none of
//   them: an alias that another entity has, a merge in a circle. Operator only, all users.
// Parameters: changes [{number, kind, said (the parameter of its statement, or of mentions and relations the first record of it)}]. Returns: number.
CYPHER 25
UNWIND $changes AS c
CALL (c) {
  WITH c WHERE c.kind IN ['mentions', 'relations']
  MATCH (r:Record {record_id: c.said.record_id})
  WHERE CASE c.kind WHEN 'mentions' THEN r.mentions_reader ELSE r.relations_reader END IS NULL
  RETURN c.number AS number
 UNION
  WITH c WHERE c.kind = 'record_retracted'
  MATCH (r:Record {record_id: c.said.record_id})
  WHERE coalesce(r.retraction_seen, 0) < c.said.revision
  RETURN c.number AS number
 UNION
  WITH c WHERE c.kind = 'entities_merged'
  MATCH (e:Entity {entity_id: c.said.entity_id}), (m:Entity {entity_id: c.said.merged_id})
  WHERE NOT EXISTS { ()-[:SUPERSEDES {merge_id: c.said.merge_id}]->() } AND NOT EXISTS { (:Entity)-[one:SUPERSEDES]->(m) WHERE one.known_to IS NULL }
    AND NOT EXISTS { (m)-[steps:SUPERSEDES*1..]->(e) WHERE all(one IN steps WHERE one.known_to IS NULL) }
  RETURN c.number AS number
 UNION
  WITH c WHERE c.kind = 'merge_undone'
  MATCH ()-[merge:SUPERSEDES {merge_id: c.said.merge_id}]->() WHERE merge.known_to IS NULL
  RETURN c.number AS number
 UNION
  WITH c WHERE c.kind = 'told_apart'
  MATCH (:Entity {user_id: c.said.user_id})-[p:POSSIBLY_SAME {pair_id: c.said.pair_id}]->(:Entity) WHERE p.decided IS NULL
  RETURN c.number AS number
 UNION
  WITH c WHERE c.kind = 'relation_decided'
  MATCH (:Record)-[:EVIDENCE {relation_id: c.said.relation_id}]->(n:Entity {user_id: c.said.user_id})
  WITH DISTINCT c, n
  MATCH (n)-[relation]->(:Entity)
  WHERE relation.relation_id = c.said.relation_id
    AND (c.said.archived <> (size(coalesce(relation.archivings, [])) % 2 = 1) AND coalesce(last(relation.archivings) < datetime(c.said.at), true)
         OR c.said.properties IS NOT NULL AND coalesce(relation.described_at < datetime(c.said.at), true))
  RETURN c.number AS number
 UNION
  WITH c WHERE c.kind = 'entity_corrected'
  MATCH (e:Entity {entity_id: c.said.entity_id})
  WHERE c.said.name IS NOT NULL AND coalesce(last(e.renamed) < datetime(c.said.at), true) AND (c.said.name <> e.name OR e.renamed IS NULL)
     OR last(e.renamed) = datetime(c.said.at) AND c.said.name <> e.name
     OR c.said.kind IS NOT NULL AND coalesce(last(e.rekinded) < datetime(c.said.at), true) AND (c.said.kind <> e.kind OR e.rekinded IS NULL)
     OR last(e.rekinded) = datetime(c.said.at) AND coalesce(c.said.kind <> e.kind, c.said.kind IS NOT NULL)
  RETURN c.number AS number
 UNION
  WITH c WHERE c.kind = 'alias_decided'
  MATCH (e:Entity {entity_id: c.said.entity_id})
  OPTIONAL MATCH (a:Alias {user_id: c.said.user_id, type: c.said.type, key: c.said.key})
  WITH c, e, a
  WHERE (coalesce(a.decided_at < datetime(c.said.at), true) OR a.decided_at = datetime(c.said.at) AND c.said.given <> EXISTS { (a)-[:NAMES]->(e) }) AND NOT EXISTS { (a)-[:NAMES]->(other:Entity) WHERE other <> e }
  RETURN c.number AS number
 UNION
  WITH c WHERE c.kind = 'intention_decided'
  MATCH (:Record)-[i:INTENDS {intention_id: c.said.intention_id}]->(:Entity)
  WHERE coalesce(i.state_at < datetime(c.said.at), true)
  RETURN c.number AS number
}
RETURN DISTINCT number ORDER BY number
