// Clauses: renamed_by_records(entity, at): makes the names of an entity follow from the records that hold: a name that none uses any more leads to it no longer (but for
//   those that the user gave it) but to another entity of that name, if there is one; one that is used again does. Where its display name was one of these, the longest that is left takes its place; where none is left, the longest of what was merged
//   into it, or its kind, as `person`, without a normal form. The entities that it is part of follow, too. `at`: when that was known;
//   the name before is kept for reads of the past.
MATCH (called:Entity)-[joins:SUPERSEDES*0..]->(@entity)
WHERE all(join IN joins WHERE join.known_to IS NULL)
WITH called, @at AS noted_at ORDER BY size(joins)
CALL (called, noted_at) {
  WITH called, noted_at, part.used(called) AS used
  CALL (called, used) {
    MATCH (gone:Alias)-[leads:NAMES]->(called)
    WHERE gone.type = 'name' AND NOT gone.verified AND NOT gone.key IN used AND NOT gone.key IN coalesce(called.given_names, [])
    DELETE leads
    WITH called, gone, COLLECT {
      MATCH (heir:Entity {user_id: called.user_id, name_key: gone.key})
      WHERE heir <> called AND heir.name_key IN part.used(heir) AND NOT heir.entity_id IN coalesce(gone.not_of, [])
      RETURN heir ORDER BY heir.known_from, heir.key LIMIT 1
    } AS heirs
    SET gone.withdrawn = CASE size(heirs) WHEN 0 THEN true END
    FOREACH (heir IN heirs | CREATE (gone)-[:NAMES]->(heir))
  }
  CALL (called, used) {
    UNWIND used AS key
    MATCH (back:Alias {user_id: called.user_id, type: 'name', key: key})
    WHERE NOT EXISTS { (back)-[:NAMES]->(:Entity) } AND NOT called.entity_id IN coalesce(back.not_of, [])
    CREATE (back)-[:NAMES]->(called)
    SET back.withdrawn = null
  }
  WITH called, noted_at, used, part.withdrawn(called, used) AS withdrawn WHERE withdrawn OR called.renamed IS NULL AND called.withdrawn_at IS NOT NULL
  WITH called, noted_at, withdrawn, COLLECT {
    UNWIND used AS key
    MATCH (alias:Alias {user_id: called.user_id, type: 'name', key: key})
    RETURN alias ORDER BY size(alias.value) DESC, alias.known_from, alias.key LIMIT 1
  }[0] AS longest, COLLECT {
    MATCH (called)-[below:SUPERSEDES*1..]->(member:Entity)
    WHERE all(merge IN below WHERE merge.known_to IS NULL) AND member.name_key IS NOT NULL
    RETURN member.name ORDER BY size(member.name) DESC, member.name LIMIT 1
  }[0] AS merged
  WITH called, noted_at, withdrawn, coalesce(longest.value, merged, called.kind) AS name, longest.key AS key
  WHERE withdrawn OR size(name) > size(called.name) AND key IS NOT NULL
  FOREACH (_ IN CASE WHEN name <> called.name THEN [1] ELSE [] END |
    SET called.names_withdrawn = coalesce(called.names_withdrawn, []) + called.name, called.withdrawn_at = coalesce(called.withdrawn_at, []) + noted_at)
  SET called.name = name, called.name_key = key
}
