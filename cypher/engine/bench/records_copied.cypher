// Purpose: copies of a user's records, with their mentions, as bulk in the graph. For a benchmark.
// Parameters: user_id, copies of each record that is no copy. Returns: made.
MATCH (n:Node)-[:HOLDS]->(r:Record) WHERE n.user_id = $user_id AND r.copied IS NULL
WITH n, r, [(r)-[m:MENTIONS]->(e) | [e, properties(m)]] AS mentions
UNWIND range(1, $copies) AS copy
WITH n, mentions, r {.*, record_id: randomUUID(), copied: true} AS copied
CALL (n, mentions, copied) {
    CREATE (n)-[:HOLDS]->(c:Record)
    SET c = copied
    FOREACH (one IN mentions | CREATE (c)-[m:MENTIONS]->(e) SET m = one[1])
}
RETURN count(*) AS made
