-- Purpose: holds a commit that is set aside while it is discarded. Service only. Parameters: workspace, user_id (null: any of its users), commit_id.
-- Returns: kind, payload, user_id; none where no such commit is set aside.
SELECT o.kind, o.payload, o.user_id FROM engine.outbox AS o JOIN engine.users AS u USING (user_id) JOIN engine.workspaces AS w USING (workspace_id)
WHERE o.commit_id = %(commit_id)s AND o.state = 'set_aside' AND w.name = %(workspace)s
  AND (%(user_id)s::uuid IS NULL OR o.user_id = %(user_id)s::uuid)
FOR UPDATE OF o
