// Part: stated_before(one, a, b): the relation of that type and name from (a) to (b), in a list, or an empty one.
//   It is found by a way that is one long, from the end with fewer relationships: in a graph with few relationships Neo4j 2026.08 plans a pattern between two
//   known nodes as a read of all relationships. A list, since it plans to keep every way, of all rows at once, before it looks where they lead.
COLLECT {
  WITH CASE WHEN COUNT { (@a)-->() } > COUNT { (@b)<--() } THEN @b ELSE @a END AS near
  MATCH (near)-[way*1..1]-(:Entity)
  WHERE type(way[0]) = @one.type AND way[0].name = @one.name AND startNode(way[0]) = @a AND endNode(way[0]) = @b
  RETURN way[0]
}
