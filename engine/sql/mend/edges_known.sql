-- Purpose: which of these edges Postgres knows, with their newest change. Service only. Parameters: edges (texts). Returns: edge_id, revision.
SELECT c.change -> 'revision' ->> 'edge_id' AS edge_id, max((c.change -> 'revision' ->> 'revision')::integer) AS revision
FROM engine.outbox AS o, engine.graph_changes(o.kind, o.payload) AS c
WHERE 'edge_revised' = ANY (o.kinds) AND c.kind = 'edge_revised' AND c.change -> 'revision' ->> 'edge_id' = ANY (%(edges)s::text[]) GROUP BY 1
