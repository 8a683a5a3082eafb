// Purpose: which of these facts the graph lacks, or has otherwise: with another state, another privacy, place in the chain or caption, without its text or the record that states
//   it. A confirmation is a record that states another fact; a withdrawn one may never have been there. Operator only, all users.
// Parameters: facts [{fact_id, user_id, revision, status, privacy, scope, caption (null: not known), supersedes, confirms}]. Returns: fact_id, user_id.
CYPHER 25
UNWIND $facts AS row
OPTIONAL MATCH (f:Fact {fact_id: row.fact_id})
WITH row, f
WHERE CASE row.status
  WHEN 'confirmation' THEN NOT EXISTS { (:Fact {fact_id: row.confirms})<-[s:STATES]-(:Record) WHERE s.fact_id = row.fact_id AND s.known_to IS NULL }
  WHEN 'withdrawn' THEN coalesce(f.revision <> row.revision OR f.status <> row.status OR f.privacy <> row.privacy, false)
  ELSE f IS NULL OR coalesce(f.revision <> row.revision OR f.status <> row.status, true) OR coalesce(f.privacy <> row.privacy OR f.scope <> row.scope, true) OR f.caption IS NULL OR f.reader IS NULL
    OR row.caption IS NOT NULL AND coalesce(f.caption <> row.caption OR f.name <> row.caption, true)
    OR COLLECT { MATCH (f)-[:SUPERSEDES]->(o:Fact) RETURN o.fact_id } <> CASE WHEN row.supersedes IS NULL THEN [] ELSE [row.supersedes] END
    OR NOT EXISTS { (f)<-[s:STATES]-(r:Record) WHERE s.fact_id = f.fact_id AND s.known_to IS NULL }
    OR COUNT { (f)-[a:ABOUT]->(:Entity) WHERE a.primary } > 1
  END
RETURN row.fact_id AS fact_id, row.user_id AS user_id
LIMIT 10000
