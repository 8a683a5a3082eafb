-- Purpose: deletes outbox rows of nodes and records that were finished before a time. Those of grants stay: ending a grant again asks for
-- its row. Parameters: before, limit. Returns: nothing; the count is the driver's.
DELETE FROM engine.outbox AS o USING (
    SELECT d.commit_id FROM engine.outbox AS d
    WHERE d.state = 'done' AND d.done_at < %(before)s AND d.kind IN ('node', 'records') ORDER BY d.done_at LIMIT %(limit)s
) AS old WHERE o.commit_id = old.commit_id
