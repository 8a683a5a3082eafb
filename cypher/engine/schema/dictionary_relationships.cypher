// Purpose: which properties relationships of each type have, of which types, and which labels their ends, in a sample of each: for the data dictionary. Types that
// the domain file names are one, under the name RELATION, and those of edges, under the name RELATED.
// Parameters: sample (relationships of a type that are looked at), labels (those by which ends are named). Returns: name (the type), property (empty: none), types,
//   ends (texts).
CYPHER 25
CALL db.relationshipTypes() YIELD relationshipType AS type
CALL (type) {
  MATCH (a)-[r:$(type)]->(b)
  WITH a, r, b LIMIT $sample
  WITH r, CASE WHEN a:Entity AND b:Entity AND r.relation_id IS NOT NULL THEN 'RELATION'
         WHEN r.edge_id IS NOT NULL AND type <> 'WAS_RELATED' THEN 'RELATED' ELSE type END AS name,
       reduce(ends = '', one IN [a, b] | ends + CASE ends WHEN '' THEN '' ELSE ' → ' END
         + coalesce(head([label IN labels(one) WHERE label IN $labels]), head(labels(one)), '')) AS ends
  UNWIND [''] + keys(r) AS property
  RETURN name, property, collect(DISTINCT valueType(r[property])) AS types, collect(DISTINCT ends) AS ends
}
UNWIND types AS one
UNWIND ends AS end
RETURN name, property, collect(DISTINCT one) AS types, collect(DISTINCT end) AS ends ORDER BY name, property
