-- Purpose: a readable live node with the names from the root down to it.
-- Parameters: node_id. Returns: one row (names, layer, user_id, root_schema); none when missing or not readable.
WITH RECURSIVE up AS (
    SELECT node_id, parent_id, user_id, name, layer, schema_name
    FROM engine.nodes WHERE node_id = %(node_id)s AND state = 'live' AND known_to IS NULL
    UNION ALL
    SELECT p.node_id, p.parent_id, p.user_id, p.name, p.layer, p.schema_name
    FROM engine.nodes AS p JOIN up ON p.node_id = up.parent_id
)
SELECT array_agg(name ORDER BY layer) AS names, max(layer)::integer AS layer, (array_agg(user_id))[1] AS user_id,
       (array_agg(schema_name ORDER BY layer))[1] AS root_schema
FROM up HAVING count(*) > 0
