-- The nodes that a commit provisions. A commit of one node has the node's id, so also a damaged one names its node.
CREATE OR REPLACE FUNCTION engine.nodes_made(p_work engine.outbox) RETURNS SETOF uuid
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT p_work.commit_id WHERE 'node' = ANY (p_work.kinds)
    UNION
    SELECT (c.change #>> '{node,node_id}')::uuid FROM engine.graph_changes(p_work.kind, p_work.payload) AS c
    WHERE c.kind = 'node' AND pg_input_is_valid(coalesce(c.change #>> '{node,node_id}', ''), 'uuid')
$$;
