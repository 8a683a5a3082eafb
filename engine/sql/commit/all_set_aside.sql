-- Purpose: commits that are set aside, oldest first, one page. Service only. Parameters: workspace, user_id (null: of all its users), after
--   (the last commit of the page before, or null), since and last (its time and id, or null), limit.
-- A damaged payload is listed, too: paths of jsonb are lax. Returns: commit_id, user_id, handle, kind, subject (names of what it writes), created_at, attempts, cause, waits_for (commits).
SELECT o.commit_id, o.user_id, u.handle, o.kind, o.created_at, o.attempts, coalesce(o.last_failure, '') AS cause,
       left(CASE o.kind
           WHEN 'node' THEN o.payload -> 'node' ->> 'name'
           WHEN 'records' THEN (SELECT string_agg(jsonb_build_array(t) ->> 0, ', ') FROM jsonb_path_query(o.payload, '$.records[*].title') AS t)
           WHEN 'node_revised' THEN coalesce(o.payload -> 'revision' -> 'own' ->> 'name', o.payload -> 'revision' ->> 'node_id')
           WHEN 'record_revised' THEN coalesce(o.payload -> 'revision' -> 'own' ->> 'title', o.payload -> 'revision' ->> 'record_id')
           WHEN 'relation' THEN o.payload -> 'revision' ->> 'edge_type'
           ELSE o.payload -> 'grant' ->> 'grant_id' END, 200) AS subject,
       ARRAY(SELECT engine.commits_before(o.commit_id)) AS waits_for
FROM engine.outbox AS o JOIN engine.users AS u USING (user_id) JOIN engine.workspaces AS w USING (workspace_id)
WHERE o.state = 'set_aside' AND w.name = %(workspace)s AND (%(user_id)s::uuid IS NULL OR o.user_id = %(user_id)s::uuid)
  AND (%(after)s::uuid IS NULL OR (o.created_at, o.commit_id) > (
      SELECT a.created_at, a.commit_id FROM engine.outbox AS a WHERE a.commit_id = %(after)s::uuid))
  AND (%(since)s::timestamptz IS NULL OR (o.created_at, o.commit_id) > (%(since)s::timestamptz, %(last)s::uuid))
ORDER BY o.created_at, o.commit_id LIMIT %(limit)s
