// Purpose: one record, where no reader of this version has looked for its entities, as of a text that was changed by hand. Operator only, all users.
// Parameters: record (id), reader (version). Returns: as lifecycle/records_unread.
MATCH (r:Record {record_id: $record})
WHERE coalesce(r.mentions_reader, 0) < $reader AND r.known_to IS NULL
MATCH (n:Node)-[:HOLDS]->(r)
RETURN r.record_id AS record_id, r.user_id AS user_id, n.node_id AS node_id, n.schema_name AS schema_name, r.title AS title,
       coalesce(r.revision, 1) AS revision, coalesce(r.occurred_at, r.known_from) AS at,
       coalesce(r.rewordings, 0) AS rewordings
