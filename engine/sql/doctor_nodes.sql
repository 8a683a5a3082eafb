-- Purpose: one page of nodes as the registry and their schemas show them. Service only.
-- Parameters: after (node id), limit. Returns: the columns of engine.node_facts.
SELECT * FROM engine.node_facts(%(after)s, %(limit)s::integer)
