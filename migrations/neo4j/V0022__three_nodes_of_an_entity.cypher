// An entity leads to the three nodes with most of its mentions: with lines to all, a picture of its neighbourhood could not be read. How many mentions each
// node has is kept in a list, and the latest mention at the entity itself, not in a line from the user to each entity.
//
//   (:Entity {…, places, last_context, last_record_id})     places: node and number of mentions, as '<node_id> 3'
//   (:Entity)-[:ANCHORED_AT {mentions}]->(:Node)                                  at most three

UNWIND ['places', 'last_context', 'last_record_id'] AS name CALL db.createProperty(name);

MATCH (:Node)-[k:MENTIONED]->(e:Entity)
CALL (k, e) {
  SET e.last_context = k.context, e.last_record_id = k.source
  DELETE k
} IN TRANSACTIONS OF 5000 ROWS;

MATCH (e:Entity)
WHERE e.places IS NULL
CALL (e) {
  SET e.places = COLLECT { MATCH (e)-[a:ANCHORED_AT]->(n:Node) WHERE a.mentions <> 0 RETURN n.node_id + ' ' + a.mentions ORDER BY n.node_id }
  WITH e, COLLECT { MATCH (e)-[a:ANCHORED_AT]->(n:Node) WITH a, n, a.mentions > 0 AS held ORDER BY held DESC, a.mentions DESC, n.node_id + ' ' + a.mentions
                    RETURN CASE WHEN held THEN a END } AS anchors
  MATCH (e)-[weaker:ANCHORED_AT]->(:Node) WHERE NOT weaker IN [one IN anchors WHERE one IS NOT NULL][..3]
  DELETE weaker
} IN TRANSACTIONS OF 1000 ROWS;
