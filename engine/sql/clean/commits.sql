-- Purpose: takes from outbox rows that were finished before a time what is no longer needed: the changes of records, which their rows state,
-- what they mention and state, as their texts do, facts, as their own table does, and the vectors of nodes. A row of which nothing is left is deleted. The rest is kept: lost shells, edges and grants are made again from it.
-- Parameters: before, limit. Returns: commit_id; the count is the driver's.
WITH old AS (
    SELECT d.commit_id, d.kind, d.kinds, d.payload FROM engine.outbox AS d
    WHERE d.state = 'done' AND d.done_at < %(before)s
      AND (d.kinds && ARRAY['records', 'mentions', 'relations', 'facts'] OR 'node' = ANY (d.kinds) AND EXISTS (
          SELECT FROM engine.graph_changes(d.kind, d.payload) AS c WHERE c.kind = 'node' AND c.change -> 'node' ?| ARRAY['embedding', 'embedding_b']))
    ORDER BY d.done_at LIMIT %(limit)s
), rest AS (
    SELECT old.commit_id, (
        SELECT jsonb_agg(CASE c.kind WHEN 'node' THEN jsonb_build_object('kind', c.kind, 'node', (c.change -> 'node')
                             - ARRAY['embedding', 'embedding_version', 'embedding_b', 'embedding_b_version'])
                         ELSE c.change END ORDER BY c.place)
        FROM engine.graph_changes(old.kind, old.payload) AS c
        WHERE c.kind NOT IN ('records', 'mentions', 'relations', 'facts') AND (c.kind <> 'record_revised' OR NOT 'records' = ANY (old.kinds))) AS changes
    FROM old
), shortened AS (
    UPDATE engine.outbox AS o SET kind = r.changes -> 0 ->> 'kind', payload = jsonb_build_object('changes', r.changes)
    FROM rest AS r WHERE o.commit_id = r.commit_id AND r.changes IS NOT NULL RETURNING o.commit_id
), deleted AS (
    DELETE FROM engine.outbox AS o USING rest AS r WHERE o.commit_id = r.commit_id AND r.changes IS NULL RETURNING o.commit_id
)
SELECT commit_id FROM shortened UNION ALL SELECT commit_id FROM deleted
