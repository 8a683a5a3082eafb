-- Purpose: commits that are set aside, oldest first, one page. Service only. Parameters: workspace, user_id (null: of all its users), after
--   (the last commit of the page before, or null), since and last (its time and id, or null), limit.
-- A damaged payload is listed, too: paths of jsonb are lax. Returns: commit_id, user_id, handle, kind, subject (names of what it writes), created_at, attempts, cause, waits_for (commits).
SELECT o.commit_id, o.user_id, u.handle, o.kind, o.created_at, o.attempts, coalesce(o.last_failure, '') AS cause,
       (SELECT left(string_agg(coalesce(r ->> 'name', r ->> 'title', r -> 'own' ->> 'name', r -> 'own' ->> 'title', r ->> 'edge_type',
                                        r ->> 'grant_id', r ->> 'record_id', r ->> 'node_id'), ', ' ORDER BY c.place), 200)
        FROM engine.graph_changes(o.kind, o.payload) AS c, jsonb_path_query(c.change, '$.*[*] ? (@.type() == "object")') AS r) AS subject,
       ARRAY(SELECT engine.commits_before(o.commit_id)) AS waits_for
FROM engine.outbox AS o JOIN engine.users AS u USING (user_id) JOIN engine.workspaces AS w USING (workspace_id)
WHERE o.state = 'set_aside' AND w.name = %(workspace)s AND (%(user_id)s::uuid IS NULL OR o.user_id = %(user_id)s::uuid)
  AND (%(after)s::uuid IS NULL OR (o.created_at, o.commit_id) > (
      SELECT a.created_at, a.commit_id FROM engine.outbox AS a WHERE a.commit_id = %(after)s::uuid))
  AND (%(since)s::timestamptz IS NULL OR (o.created_at, o.commit_id) > (%(since)s::timestamptz, %(last)s::uuid))
ORDER BY o.created_at, o.commit_id LIMIT %(limit)s
