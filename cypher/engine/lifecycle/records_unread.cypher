// Purpose: records of a node whose entities no reader of this version has looked for, in the order of ids; none that was withdrawn. Operator only.
// Parameters: node (id), reader (version), after (record id), limit. Returns: record_id, user_id, node_id, schema_name, title, revision, at, rewordings (changes of
//   its texts by hand).
MATCH (n:Node {node_id: $node})-[:HOLDS]->(r:Record)
WHERE r.record_id > $after AND coalesce(r.mentions_reader, 0) < $reader AND r.known_to IS NULL
WITH n, r ORDER BY r.record_id LIMIT $limit
RETURN r.record_id AS record_id, r.user_id AS user_id, n.node_id AS node_id, n.schema_name AS schema_name, r.title AS title,
       coalesce(r.revision, 1) AS revision, coalesce(r.occurred_at, r.known_from) AS at,
       coalesce(r.rewordings, 0) AS rewordings
