// Part: moved_ends(entities): of the relations of these entities of which one can hold at a time those that end otherwise now than is kept: each with its
//   ender, as part.ender has it.
COLLECT {
  UNWIND @entities AS member
  MATCH (member)-[moved]-(:Entity)
  WHERE moved.functional AND moved.strength > 0 AND (moved.until IS NULL OR moved.ended_by IS NOT NULL)
  WITH DISTINCT moved
  WITH moved, part.ender(moved) AS ender WHERE ender.relation_id <> moved.ended_by OR (ender IS NULL) <> (moved.ended_by IS NULL)
  RETURN {relation: moved, ender: ender}
}
