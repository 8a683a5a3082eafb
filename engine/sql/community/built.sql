-- Purpose: notes a build of a user, unless a later one was noted; others wait until this transaction ends. Service only.
-- Parameters: user_id, mark, communities (in the graph), built_at. Returns: user_id; no row where a later one was noted.
INSERT INTO engine.derived_builds (user_id, mark, communities, built_at) VALUES (%(user_id)s, %(mark)s, %(communities)s, %(built_at)s)
ON CONFLICT (user_id) DO UPDATE SET mark = EXCLUDED.mark, communities = EXCLUDED.communities, built_at = EXCLUDED.built_at
WHERE derived_builds.built_at <= EXCLUDED.built_at
RETURNING user_id
