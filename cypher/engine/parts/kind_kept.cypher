// Part: kind_kept(entity): the kind that an entity must have by what else says it: the user, who corrected it; its key, which keeps the first one; and where that is `thing`,
//   its mentions, also those that ended. Its own where none of them says another; null where it has none. Kinds that the domain file no longer has say nothing.
// Needs: parameter labels.
CASE WHEN @entity.rekinded IS NOT NULL THEN @entity.kind
     WHEN $labels[split(@entity.key, ':')[0]] IS NOT NULL AND NOT @entity.key STARTS WITH 'thing:' THEN split(@entity.key, ':')[0]
     ELSE coalesce(COLLECT {
  MATCH (@entity)<-[telling:MENTIONS]-(:Record)
  WHERE telling.kind <> 'thing' AND $labels[telling.kind] IS NOT NULL
  WITH telling.kind AS told, count(*) AS times
  RETURN told ORDER BY coalesce(told = @entity.kind, false) DESC, times DESC, told LIMIT 1
}[0], @entity.kind) END
