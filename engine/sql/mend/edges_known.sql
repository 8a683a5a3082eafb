-- Purpose: which of these edges Postgres knows, with their newest change. Service only. Parameters: edges (texts). Returns: edge_id, revision.
SELECT o.payload -> 'revision' ->> 'edge_id' AS edge_id, max((o.payload -> 'revision' ->> 'revision')::integer) AS revision
FROM engine.outbox AS o WHERE o.kind = 'relation' AND o.payload -> 'revision' ->> 'edge_id' = ANY (%(edges)s::text[]) GROUP BY 1
