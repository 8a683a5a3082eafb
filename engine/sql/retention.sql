-- name: set
-- Purpose: sets a rule of retention, the one that is there where it takes the same; nothing where its node is not one of the user, or there are too many. Service only. Parameters: workspace (name), rule (json: its columns),
--   most (rules of a user, or of a workspace). Returns: rule_id.
INSERT INTO engine.retention_rules (rule_id, workspace_id, user_id, older_than, kind, source, source_prefix, tag, scope, scope_id, node_id, everything, note, set_by)
SELECT r.rule_id, w.workspace_id, r.user_id, r.older_than, r.kind, r.source, r.source_prefix, r.tag, r.scope, r.scope_id, r.node_id, r.everything, r.note, r.set_by
FROM jsonb_populate_record(NULL::engine.retention_rules, %(rule)s) AS r JOIN engine.workspaces AS w ON w.name = %(workspace)s
WHERE (r.user_id IS NULL OR EXISTS (SELECT FROM engine.users AS u WHERE u.user_id = r.user_id AND u.forgotten_at IS NULL))
  AND (r.node_id IS NULL OR EXISTS (SELECT FROM engine.nodes AS n WHERE n.node_id = r.node_id AND n.user_id = r.user_id))
  AND (SELECT count(*) FROM engine.retention_rules AS o WHERE o.workspace_id = w.workspace_id AND o.user_id IS NOT DISTINCT FROM r.user_id) < %(most)s
ON CONFLICT ON CONSTRAINT retention_rules_once DO UPDATE SET everything = EXCLUDED.everything, note = EXCLUDED.note
RETURNING rule_id

-- name: node_of_user
-- Purpose: whether a node is one of a user, and its layer. Service only. Parameters: user_id, node_id. Returns: layer; none where it is not.
SELECT n.layer FROM engine.nodes AS n WHERE n.node_id = %(node_id)s AND n.user_id = %(user_id)s

-- name: page
-- Purpose: rules of a user (with those that hold for every user), one page, the oldest first, or one of them. Service only. Parameters: workspace (name), user_id (null: those of
--   the workspace alone), rule_id (null: not one), after (number; 0: from the first on), limit. Returns: the columns of RetentionRule.
SELECT r.rule_id, r.number, r.user_id, extract(epoch FROM r.older_than)::double precision / 86400 AS older_than_days, r.kind, r.source, r.source_prefix, r.tag, r.scope,
       r.scope_id, r.node_id, r.everything, r.note, r.set_by, r.set_at
FROM engine.retention_rules AS r
WHERE r.workspace_id = (SELECT w.workspace_id FROM engine.workspaces AS w WHERE w.name = %(workspace)s) AND (r.user_id IS NULL OR r.user_id = %(user_id)s::uuid)
  AND (%(rule_id)s::uuid IS NULL OR r.rule_id = %(rule_id)s) AND r.number > %(after)s
ORDER BY r.number LIMIT %(limit)s

-- name: remove
-- Purpose: removes a rule, of that user, or of the workspace. Service only. Parameters: workspace (name), user_id (null: of the workspace), rule_id. Returns: rule_id.
DELETE FROM engine.retention_rules AS r
WHERE r.rule_id = %(rule_id)s AND r.workspace_id = (SELECT w.workspace_id FROM engine.workspaces AS w WHERE w.name = %(workspace)s) AND r.user_id IS NOT DISTINCT FROM %(user_id)s::uuid
RETURNING r.rule_id

-- name: counted
-- Purpose: how many records of a user a rule takes, how many of them are held, and how many there are in all. Service only. Parameters: user_id, rule (json: its columns), now.
--   Returns: records, held, in_all.
SELECT count(*) FILTER (WHERE NOT d.held) AS records, count(*) FILTER (WHERE d.held) AS held,
       (SELECT count(*) FROM engine.retention_records(jsonb_populate_record(NULL::engine.retention_rules, jsonb_build_object('older_than', '-1 day')), %(user_id)s, %(now)s, false, 2000000000))
           AS in_all
FROM engine.retention_records(jsonb_populate_record(NULL::engine.retention_rules, %(rule)s), %(user_id)s, %(now)s, false, 2000000000) AS d

-- name: due
-- Purpose: records of a user that a rule takes, node by node. Service only. Parameters: user_id, rule (json: its columns), now, free (only what is not held), limit.
--   Returns: the columns of DuePlace.
SELECT d.record_id, d.node_id, d.source_id, d.title, d.kind, d.stored_at, d.withdrawn, d.held, d.schema_name
FROM engine.retention_records(jsonb_populate_record(NULL::engine.retention_rules, %(rule)s), %(user_id)s, %(now)s, %(free)s, %(limit)s) AS d

-- name: due_by_rule
-- Purpose: the same by a rule that is set; nothing where it is removed. Service only. Parameters: user_id, rule_id, now, free, limit. Returns: the columns of DuePlace.
SELECT d.record_id, d.node_id, d.source_id, d.title, d.kind, d.stored_at, d.withdrawn, d.held, d.schema_name
FROM engine.retention_rules AS r CROSS JOIN LATERAL engine.retention_records(r, %(user_id)s, %(now)s, %(free)s, %(limit)s) AS d
WHERE r.rule_id = %(rule_id)s AND (r.user_id IS NULL OR r.user_id = %(user_id)s)

-- name: expired
-- Purpose: records of a user that have expired, those first that expired first. Service only. Parameters: user_id, now, free (only what is not held), limit. Returns: the
--   columns of DuePlace.
SELECT d.record_id, d.node_id, d.source_id, d.title, d.kind, d.stored_at, d.withdrawn, d.held, d.schema_name
FROM engine.expired_records(%(user_id)s, %(now)s, %(free)s, %(limit)s) AS d

-- name: rules_of_users
-- Purpose: every rule with every user that it is for, one page. Service only. Parameters: after_rule, after_user (the last ones of the page before; nil ids at first), limit.
--   Returns: rule_id, user_id.
SELECT r.rule_id, u.user_id FROM engine.retention_rules AS r
JOIN engine.users AS u ON u.workspace_id = r.workspace_id AND (r.user_id IS NULL OR r.user_id = u.user_id)
WHERE u.forgotten_at IS NULL AND (r.rule_id, u.user_id) > (%(after_rule)s::uuid, %(after_user)s::uuid)
ORDER BY 1, 2 LIMIT %(limit)s

-- name: users_expired
-- Purpose: users of whom a record has expired, one page. Service only. Parameters: now, after (the last user of the page before; a nil id at first), limit. Returns: user_id.
SELECT DISTINCT e.user_id FROM engine.expiries AS e JOIN engine.users AS u USING (user_id)
WHERE e.expires_at <= %(now)s AND u.forgotten_at IS NULL AND e.user_id > %(after)s
ORDER BY 1 LIMIT %(limit)s

-- name: unfinished
-- Purpose: the forgetting of a rule for a user that has not erased all of its records yet. Service only. Parameters: user_id, rule (as in the subject). Returns: forgetting_id.
SELECT f.forgetting_id FROM engine.forgettings AS f
WHERE f.user_id = %(user_id)s AND f.kind = 'retention' AND starts_with(f.subject, %(rule)s) AND f.state IN ('planned', 'running', 'failed')
ORDER BY f.number LIMIT 1

-- name: late
-- Purpose: how many records expired long ago and are still there, those that are held apart. Service only. Parameters: before (when they expired at the latest). Returns: late,
--   oldest.
SELECT count(*) AS late, min(e.expires_at) AS oldest
FROM engine.expiries AS e JOIN engine.users AS u USING (user_id)
WHERE e.expires_at < %(before)s AND u.forgotten_at IS NULL
  AND NOT engine.on_hold(e.user_id, ARRAY[]::text[], ARRAY[e.record_id], ARRAY(SELECT n.node_id FROM engine.nodes AS n WHERE n.schema_name = engine.record_place(e.record_id, e.node_id)))
