// Part: used(entity): the normal forms of the names by which records that hold call an entity.
COLLECT {
  MATCH (@entity)<-[calling:MENTIONS]-(caller:Record)
  WHERE calling.known_to IS NULL AND part.holds_now(caller)
  UNWIND calling.names AS called_so
  RETURN DISTINCT called_so ORDER BY called_so
}
