-- Purpose: the graph's parts of the commits that made a node and changed it last. Service only. Parameters: node_id, user_id.
-- Returns: node (null where that commit is no longer kept), own (null where the node was never changed).
SELECT engine.node_made(%(user_id)s, %(node_id)s) AS node,
       (SELECT c.change -> 'revision' -> 'own' FROM engine.outbox AS o, engine.graph_changes(o.kind, o.payload) AS c
        WHERE o.user_id = %(user_id)s AND 'node_revised' = ANY (o.kinds) AND c.kind = 'node_revised'
          AND c.change -> 'revision' ->> 'node_id' = %(node_id)s::text
        ORDER BY (c.change -> 'revision' ->> 'revision')::integer DESC LIMIT 1) AS own
