-- Purpose: the graph's parts of the commits that made a node and changed it last. Service only. Parameters: node_id, user_id.
-- Returns: node (null where that commit is no longer kept), own (null where the node was never changed).
SELECT (SELECT o.payload -> 'node' FROM engine.outbox AS o WHERE o.commit_id = %(node_id)s AND o.kind = 'node') AS node,
       (SELECT o.payload -> 'revision' -> 'own' FROM engine.outbox AS o
        WHERE o.user_id = %(user_id)s AND o.kind = 'node_revised' AND o.payload -> 'revision' ->> 'node_id' = %(node_id)s::text
        ORDER BY (o.payload -> 'revision' ->> 'revision')::integer DESC LIMIT 1) AS own
