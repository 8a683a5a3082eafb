-- Purpose: users of whom something may be derived anew, one page: not archived, with the mark of what is stored of each now. Service only. Commits are compared
--   by time, not counted: finished ones are deleted after a while.
-- Parameters: after (user_id), version (of the embeddings), most. Returns: user_id, mark, known (the mark of the last build; null where there is none, or a commit came after it), communities (of it, or null), read_at (now).
SELECT u.user_id,
       concat_ws(' ', %(version)s::text, f.facts, f.live, f.last_known, f.last_ended, f.last_confirmed, f.confirmations, f.contradictions) AS mark,
       CASE WHEN d.last_done > b.built_at THEN NULL ELSE b.mark END AS known, b.communities, clock_timestamp() AS read_at
FROM engine.users AS u
JOIN engine.nodes AS r ON r.node_id = u.user_id AND r.state = 'live' AND NOT r.archived
LEFT JOIN engine.derived_builds AS b ON b.user_id = u.user_id
CROSS JOIN LATERAL (SELECT max(o.done_at) AS last_done FROM engine.outbox AS o WHERE o.user_id = u.user_id AND o.state = 'done') AS d
CROSS JOIN LATERAL (
    SELECT count(*) AS facts, count(*) FILTER (WHERE o.status = 'live') AS live, max(o.known_from) AS last_known, max(o.invalidated_at) AS last_ended,
           max(o.last_confirmed_at) AS last_confirmed, sum(o.confirmations) AS confirmations, count(o.contradicts) AS contradictions
    FROM engine.facts AS o WHERE o.user_id = u.user_id) AS f
WHERE u.user_id > %(after)s
ORDER BY u.user_id LIMIT %(most)s
