-- Purpose: has a commit that is set aside tried again from the beginning, which is logged. Service only. Parameters: workspace, user_id (null:
--   any of its users), commit_id, actor. Returns: commit_id; none where no such commit is set aside.
WITH taken AS (
    UPDATE engine.outbox AS o SET state = 'pending', attempts = 0, retry_at = now()
    FROM engine.users AS u JOIN engine.workspaces AS w USING (workspace_id)
    WHERE o.commit_id = %(commit_id)s AND o.state = 'set_aside' AND u.user_id = o.user_id AND w.name = %(workspace)s
      AND (%(user_id)s::uuid IS NULL OR o.user_id = %(user_id)s::uuid)
    RETURNING o.commit_id, o.user_id, o.kind
), logged AS (
    INSERT INTO engine.commit_log (event, commit_id, user_id, kind, actor)
    SELECT 'retried', t.commit_id, t.user_id, t.kind, %(actor)s FROM taken AS t
)
SELECT commit_id FROM taken
