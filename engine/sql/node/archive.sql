-- Purpose: archives a node with all below it, or takes it back; part of the commit of a change of the node.
-- Parameters: node_id, archived, now. Returns: node_id and times (of all archivings) of each node for which that changed something.
SELECT node_id::text AS node_id, to_jsonb(archivings) AS times
FROM engine.archive_node(%(node_id)s, %(archived)s, %(now)s)
