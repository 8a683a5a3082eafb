// Purpose: records, one page: whether a reader has looked for their entities, and whether they still mention as many. Operator only, all users.
// Parameters: reader (version), after (record id), limit. Returns: record_id, user_id, unread, lost.
MATCH (r:Record) WHERE r.record_id > $after
WITH r ORDER BY r.record_id LIMIT $limit
WITH r, coalesce(r.mentions_reader, 0) < $reader AS unread
RETURN r.record_id AS record_id, r.user_id AS user_id, unread AND r.known_to IS NULL AND EXISTS { (:Node)-[:HOLDS]->(r) } AS unread,
       NOT unread AND coalesce(r.mentions <> COUNT { (r)-[m:MENTIONS]->(:Entity) WHERE m.known_to IS NULL }, false) AS lost
ORDER BY record_id
