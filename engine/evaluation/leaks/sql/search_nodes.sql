-- Purpose: the nodes that a search would visit, of any graph: for the leak fuzzer. Parameters: user_id. Returns: id.
SELECT node_id::text AS id FROM engine.search_nodes(%(user_id)s::uuid, NULL, now(), now(), 1000000)
UNION
SELECT node_id::text FROM engine.search_younger_nodes(%(user_id)s::uuid, NULL, now(), '-infinity', 1000000)
