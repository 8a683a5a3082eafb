// Part: stated_before(one, a, b): the relation of that type and name from (a) to (b), in a list, or an empty one.
//   It is found by a way that is one long: in a graph with few relationships Neo4j 2026.08 plans a pattern between two known nodes as a read of all relationships.
//   It begins at the end with fewer relationships of that direction: what mentions (a) is not read, nor what (b) leads to. A list, since Neo4j plans to keep
//   every way, of all rows at once, before it looks where they lead.
COLLECT {
  WITH COUNT { (@a)-->() } > COUNT { (@b)<--() } AS back
  CALL (@one, @a, @b, back) {
    WITH @one, @a, @b, back WHERE NOT back
    MATCH (@a)-[way*1..1]->(other)
    WHERE other = @b AND type(way[0]) = @one.type AND way[0].name = @one.name
    RETURN way[0] AS found
    UNION ALL
    WITH @one, @a, @b, back WHERE back
    MATCH (@b)<-[way*1..1]-(other)
    WHERE other = @a AND type(way[0]) = @one.type AND way[0].name = @one.name
    RETURN way[0] AS found
  }
  RETURN found
}
