// Phrase: why $entity $relation $other
// Purpose: the records that state a relation of two entities, and the nodes that hold them.
// Parameters: user_id (whose graph, a text), entity (one of its names), relation (its type, with blanks or underscores), other (a name of the other).
// Suggestions: entity from names, relation from relations, other from names.
// Returns: the relation, its ends, and paths to the records.
// Example: entity "Bob", relation "sibling of", other "Ellen"
MATCH (called:Alias {user_id: $user_id, key: toLower($entity)})-[:NAMES]->(:Entity)-[merges:SUPERSEDES*0..8]-(e:Entity),
      (also:Alias {user_id: $user_id, key: toLower($other)})-[:NAMES]->(:Entity)-[others:SUPERSEDES*0..8]-(o:Entity)
USING INDEX SEEK called:Alias(user_id, key)
USING INDEX SEEK also:Alias(user_id, key)
WHERE all(merge IN merges + others WHERE merge.known_to IS NULL) AND e <> o
MATCH (e)-[r]-(o)
WHERE r.relation_id IS NOT NULL AND toLower(replace(r.name, '_', ' ')) = toLower(replace($relation, '_', ' '))
WITH DISTINCT r, startNode(r) AS source, endNode(r) AS target
MATCH way = (source)<-[v:EVIDENCE {relation_id: r.relation_id}]-(:Record)<-[:HOLDS]-(:Node)
WHERE v.known_to IS NULL
RETURN source, r, target, way
