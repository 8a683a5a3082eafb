-- Purpose: deletes outbox rows of records that were finished before a time, and takes the vectors out of those of nodes, which are kept: a lost shell is
-- made again from them. Those of grants stay: ending a grant again asks for its row. Parameters: before, limit. Returns: nothing; the count is the driver's.
WITH old AS (
    SELECT d.commit_id, d.kind FROM engine.outbox AS d
    WHERE d.state = 'done' AND d.done_at < %(before)s
      AND (d.kind = 'records' OR d.kind = 'node' AND EXISTS (
          SELECT FROM engine.graph_changes(d.kind, d.payload) AS c WHERE c.change -> 'node' ?| ARRAY['embedding', 'embedding_b']))
    ORDER BY d.done_at LIMIT %(limit)s
), shortened AS (
    UPDATE engine.outbox AS o SET payload = jsonb_build_object('changes', (
        SELECT jsonb_agg(jsonb_build_object('kind', c.kind, 'node', (c.change -> 'node')
                                            - ARRAY['embedding', 'embedding_version', 'embedding_b', 'embedding_b_version']))
        FROM engine.graph_changes(o.kind, o.payload) AS c))
    FROM old WHERE o.commit_id = old.commit_id AND old.kind = 'node' RETURNING o.commit_id
), deleted AS (
    DELETE FROM engine.outbox AS o USING old WHERE o.commit_id = old.commit_id AND old.kind = 'records' RETURNING o.commit_id
)
SELECT commit_id FROM shortened UNION ALL SELECT commit_id FROM deleted
