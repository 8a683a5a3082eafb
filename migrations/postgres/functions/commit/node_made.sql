-- The graph's part of the commit that made a node: of the commit with the node's id, else of another one that made the node with other
-- things. NULL where it is no longer kept.
CREATE OR REPLACE FUNCTION engine.node_made(p_user uuid, p_node uuid) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(
        (SELECT c.change -> 'node' FROM engine.outbox AS o, engine.graph_changes(o.kind, o.payload) AS c
         WHERE o.commit_id = p_node AND c.kind = 'node' AND c.change #>> '{node,node_id}' = p_node::text LIMIT 1),
        (SELECT c.change -> 'node' FROM engine.outbox AS o, engine.graph_changes(o.kind, o.payload) AS c
         WHERE o.user_id = p_user AND 'node' = ANY (o.kinds) AND c.kind = 'node' AND c.change #>> '{node,node_id}' = p_node::text LIMIT 1))
$$;
