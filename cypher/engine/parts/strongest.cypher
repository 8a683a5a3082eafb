// Part: strongest(entity): those three of the list `places` of an entity that have most mentions.
COLLECT {
  UNWIND coalesce(@entity.places, []) AS kept
  WITH kept, toInteger(substring(kept, 37)) AS number WHERE number > 0
  RETURN kept ORDER BY number DESC, kept LIMIT 3
}
