-- Purpose: nodes whose facts are to be compared with the chains, one page. Service only. Parameters: after (node_id), most.
-- Returns: node_id, user_id, schema_name, noted_at.
SELECT u.node_id, n.user_id, n.schema_name, u.noted_at FROM engine.unchained_facts AS u JOIN engine.nodes AS n USING (node_id)
WHERE u.node_id > %(after)s AND n.state = 'live' AND NOT EXISTS (SELECT FROM engine.nodes AS a WHERE a.node_id = ANY (n.lineage) AND a.archived)
ORDER BY u.node_id LIMIT %(most)s
