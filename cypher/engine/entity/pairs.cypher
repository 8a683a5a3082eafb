// Purpose: pairs of entities that may be one and that nobody has decided, the likeliest first, for the user of a graph; not those that are merged,
//   nor those of which one is mentioned by nothing that holds.
// Parameters: user_id (whose graph), principal and kind (who asks: only the user sees all of a graph), as_of, known_at and earliest (the end of time is now), pair_id (one,
//   also where it was told apart; or an empty text), limit.
// Returns: pair_id, entity_id, name, other_id, other_name, score, reason.
WITH $as_of AS as_of
MATCH (n:Entity)-[p:POSSIBLY_SAME]->(other:Entity)
USING INDEX SEEK n:Entity(user_id, key)  // else the pairs of all users are read
WHERE $principal = $user_id AND trim($kind) = 'user' AND n.user_id = $user_id AND n.key IS NOT NULL AND $pair_id IN ['', p.pair_id]
  AND (p.decided IS NULL OR $pair_id <> '') AND p.known_from <= $known_at
  AND NOT EXISTS { (n)-[merges:SUPERSEDES*1..]-(other) WHERE all(merge IN merges WHERE part.holds(merge)) }
  AND ($pair_id <> '' OR EXISTS { (n)<-[mention:MENTIONS]-(line:Record) WHERE part.holds(mention) AND part.shown(line) }
    AND EXISTS { (other)<-[mention:MENTIONS]-(line:Record) WHERE part.holds(mention) AND part.shown(line) })
RETURN p.pair_id AS pair_id, n.entity_id AS entity_id, n.name AS name, other.entity_id AS other_id, other.name AS other_name,
       p.score AS score, p.reason AS reason
ORDER BY score DESC, pair_id LIMIT $limit
