-- Purpose: where records lie now. Parameters: user_id, records (at most 1,000). Returns: record_id, schema_name; none of those that may not be seen.
WITH placed AS MATERIALIZED (
    SELECT DISTINCT w.record_id, coalesce(
        (SELECT a.node_id FROM engine.assignments AS a WHERE a.record_id = w.record_id ORDER BY a.entry_id DESC LIMIT 1), w.node_id) AS node_id
    FROM engine.raw_resources AS w WHERE w.user_id = %(user_id)s AND w.record_id = ANY (%(records)s::uuid[])
)
SELECT p.record_id, n.schema_name
FROM placed AS p
-- one by one: a join of both would read all nodes of all users
CROSS JOIN LATERAL (SELECT o.schema_name FROM engine.nodes AS o WHERE o.node_id = p.node_id LIMIT 1) AS n
