// Part: rivals(relation): the other relations of its name of the same source; where the direction says nothing, also those of its target and those that lead
//   to either. Merged entities are one, so a relation between the same two is no rival, and one between two that are one has none. What mentions these
//   entities is not looked at: such relations that lead to an entity are found by the keys that it keeps (`paired`).
COLLECT {
  WITH startNode(@relation) AS source, endNode(@relation) AS target
  WITH part.whole(source) AS sources, part.whole(target) AS targets, target
  WHERE NOT target IN sources
  UNWIND CASE WHEN @relation.symmetric THEN sources + targets ELSE sources END AS end
  CALL (end) {
    MATCH (end)-[rival]->(:Entity)
    RETURN rival
    UNION ALL
    UNWIND coalesce(end.paired, []) AS key
    MATCH (other:Entity {user_id: end.user_id, key: key})
    MATCH (other)-[rival]->(there:Entity)
    WHERE there = end AND rival.symmetric
    RETURN rival
  }
  WITH rival, sources + targets AS own WHERE rival.name = @relation.name AND NOT (startNode(rival) IN own AND endNode(rival) IN own)
  RETURN DISTINCT rival
}
