// Purpose: takes away what a discarded commit may have written of records, and from the counts of their nodes. Operator only. Idempotent.
// Parameters: records [{record_id, commit_id, user_id}]. Returns: withdrawn (records).
UNWIND $records AS row
MATCH (r:Record {record_id: row.record_id, commit_id: row.commit_id})
WHERE r.user_id = row.user_id
OPTIONAL MATCH (n:Node)-[:HOLDS]->(r)
SET n.records = n.records - 1, n.items = n.items - r.items,
    n.private_records = coalesce(n.private_records, 0) - CASE r.privacy WHEN 'private' THEN 1 ELSE 0 END,
    n.private_items = coalesce(n.private_items, 0) - CASE r.privacy WHEN 'private' THEN r.items ELSE 0 END
DETACH DELETE r
RETURN count(*) AS withdrawn
