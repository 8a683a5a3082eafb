// Purpose: what the user corrects of an entity: its display name, which becomes a name of it where no other entity has it, and its kind with the label; its key
//   stays. What was before is kept with the time until which it was known. Idempotent; an older correction that comes late changes nothing.
// Parameters: correction {entity_id, user_id, name, name_key (both null: as before), kind, label (both null: as before), at, reason}.
// Returns: entity_id; no row where it is missing.
CYPHER 25
MATCH (e:Entity {entity_id: $correction.entity_id})
WHERE e.user_id = $correction.user_id
SET e.lone = false  // takes the lock
WITH e, datetime($correction.at) AS at
FOREACH (_ IN CASE WHEN coalesce(last(e.renamed) < at, true) AND ($correction.name <> e.name OR e.renamed IS NULL) AND $correction.name IS NOT NULL THEN [1] ELSE [] END |
  SET e.names_before = coalesce(e.names_before, []) + e.name, e.renamed = coalesce(e.renamed, []) + at, e.corrected_reason = $correction.reason
  SET e.name = $correction.name, e.name_key = $correction.name_key)
FOREACH (_ IN CASE WHEN last(e.renamed) = at AND $correction.name IS NOT NULL THEN [1] ELSE [] END |  // applied again: the name may have been lost
  SET e.name = $correction.name, e.name_key = $correction.name_key)
FOREACH (_ IN CASE WHEN coalesce(last(e.rekinded) < at, true) AND ($correction.kind <> e.kind OR e.rekinded IS NULL) AND $correction.kind IS NOT NULL THEN [1] ELSE [] END |
  SET e.kinds_before = coalesce(e.kinds_before, []) + e.kind, e.rekinded = coalesce(e.rekinded, []) + at, e.corrected_reason = $correction.reason
  REMOVE e:$([label IN labels(e) WHERE label <> 'Entity'])
  SET e.kind = $correction.kind, e:$($correction.label))
FOREACH (_ IN CASE WHEN last(e.rekinded) = at AND $correction.kind <> coalesce(e.kind, '') THEN [1] ELSE [] END |  // applied again: the kind may have been lost
  REMOVE e:$([label IN labels(e) WHERE label <> 'Entity'])
  SET e.kind = $correction.kind, e:$($correction.label))
WITH e, at
CALL (e, at) {
  WITH e, at WHERE $correction.name IS NOT NULL
  MERGE (a:Alias {user_id: $correction.user_id, type: 'name', key: $correction.name_key})
    ON CREATE SET a.user_key = replace($correction.user_id, '-', ''), a.value = $correction.name, a.name = $correction.name, a.verified = false, a.known_from = at
  FOREACH (_ IN CASE WHEN $correction.name_key IN coalesce(e.given_names, []) THEN [] ELSE [1] END |
    SET e.given_names = coalesce(e.given_names, []) + $correction.name_key, e.given_at = coalesce(e.given_at, []) + at)
  WITH a, e, at WHERE NOT EXISTS { (a)-[:NAMES]->(:Entity) }
  CREATE (a)-[:NAMES]->(e)
  SET a.user_key = replace($correction.user_id, '-', ''), a.value = coalesce(a.value, $correction.name), a.name = coalesce(a.name, $correction.name),
      a.known_from = coalesce(a.known_from, at), a.withdrawn = null  // it may only have been taken away so far
  RETURN count(*) AS named
}
RETURN e.entity_id AS entity_id
