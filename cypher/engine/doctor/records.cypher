// Purpose: what the graph has of these records. Operator only, all users. Parameters: records (ids).
// Returns: record_id, revision, items, holders (nodes whose manifest lists it); no row for one that is missing.
UNWIND $records AS wanted
MATCH (r:Record {record_id: wanted})
RETURN r.record_id AS record_id, coalesce(r.revision, 1) AS revision, coalesce(r.items, 0) AS items,
       [(n:Node)-[:HOLDS]->(r) | n.node_id] AS holders
LIMIT 10000
