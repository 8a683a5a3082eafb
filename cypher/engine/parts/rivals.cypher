// Part: rivals(relation): the other relations of its name of the same source; where the direction says nothing, also those of its target and those that lead
//   to either. What mentions these entities is not looked at: such relations that lead to an entity are found by the keys that it keeps (`paired`).
COLLECT {
  UNWIND CASE WHEN @relation.symmetric THEN [startNode(@relation), endNode(@relation)] ELSE [startNode(@relation)] END AS end
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
  WITH rival WHERE rival <> @relation AND rival.name = @relation.name AND NOT (startNode(rival) = endNode(@relation) AND endNode(rival) = startNode(@relation))
  RETURN DISTINCT rival
}
