// Clauses: unnamed(entity, names): takes out of what an entity, and what it is part of or was, was called before those names that no record uses of it, `names` of erased records among
//   them; of what it was called before a correction the name that records give it takes the place. What
//   the user called it stays, and a name that no record uses, as `Bob's sister`, where one of the others uses none.
MATCH (called:Entity)-[:SUPERSEDES*0..]->(@entity)
WHERE called.names_withdrawn IS NOT NULL OR called.names_before IS NOT NULL
WITH DISTINCT called, @names AS erased
WITH called, erased, COLLECT {
  MATCH (called)-[:SUPERSEDES*0..]->(:Entity)<-[calling:MENTIONS]-(:Record)
  UNWIND CASE size(calling.names) WHEN 0 THEN [null] ELSE calling.names END AS key
  RETURN DISTINCT coalesce(key, '')
} AS keys
WITH called, keys, COLLECT {
  UNWIND keys AS key
  MATCH (alias:Alias {user_id: called.user_id, type: 'name', key: key})
  RETURN DISTINCT alias.value ORDER BY size(alias.value) DESC, alias.value
} + called.kind AS usable, COLLECT {
  UNWIND erased AS key
  WITH key WHERE NOT key IN keys
  MATCH (alias:Alias {user_id: called.user_id, type: 'name', key: key})
  RETURN alias.value
} AS lost
WITH called, usable, [one IN coalesce(called.names_withdrawn, []) + coalesce(called.names_before, []) + called.name
                     WHERE one IN usable OR '' IN keys AND NOT one IN lost] AS kept
WITH called, usable, kept, [number IN range(0, size(coalesce(called.names_withdrawn, [])) - 1) WHERE called.names_withdrawn[number] IN kept] AS places
SET called.withdrawn_at = nullIf([number IN places | called.withdrawn_at[number]], [])
SET called.names_withdrawn = nullIf([number IN places | called.names_withdrawn[number]], []),
    called.names_before = CASE WHEN called.names_before[0] IN kept THEN called.names_before ELSE [usable[0]] + called.names_before[1..] END
