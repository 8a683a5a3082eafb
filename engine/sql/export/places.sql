-- Purpose: where records lie now. Parameters: user_id, records (at most 1,000). Returns: record_id, schema_name; none of those that may not be seen.
SELECT DISTINCT w.record_id, n.schema_name
FROM engine.raw_resources AS w
JOIN engine.nodes AS n ON n.node_id = coalesce(
    (SELECT a.node_id FROM engine.assignments AS a WHERE a.record_id = w.record_id ORDER BY a.entry_id DESC LIMIT 1), w.node_id)
WHERE w.user_id = %(user_id)s AND w.record_id = ANY (%(records)s::uuid[])
