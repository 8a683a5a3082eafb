// Part: last_mention(entity): the newest mention of an entity that holds now, with its record, its time and the words around it; null where there is none.
COLLECT {
  MATCH (@entity)<-[newest:MENTIONS]-(naming:Record) WHERE newest.known_to IS NULL
  WITH newest, naming, coalesce(naming.occurred_at, naming.since, naming.known_from) AS named_at
  ORDER BY named_at DESC, newest.known_from DESC, naming.record_id LIMIT 1
  RETURN {at: named_at, record_id: naming.record_id, context: newest.context}
}[0]
