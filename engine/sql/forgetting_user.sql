-- name: hidden
-- Purpose: hides a user from every request, and ends all tokens of the user and of the user's personas. Service only. Parameters: user_id. Returns: nothing.
WITH hidden AS (
    UPDATE engine.users AS u SET forgotten_at = coalesce(u.forgotten_at, clock_timestamp()) WHERE u.user_id = %(user_id)s
)
UPDATE engine.tokens AS t SET revoked_at = coalesce(t.revoked_at, clock_timestamp())
WHERE t.principal_id = %(user_id)s OR t.principal_id IN (SELECT n.node_id FROM engine.nodes AS n WHERE n.user_id = %(user_id)s AND n.node_type = 'persona')

-- name: sql_roles
-- Purpose: the names of the SQL roles of a user. Service only. Parameters: user_id. Returns: role_name.
SELECT r.role_name FROM engine.sql_roles AS r WHERE r.user_id = %(user_id)s ORDER BY 1 LIMIT 100

-- name: ids
-- Purpose: ids and names by which a user is found again: of the user, and of the nodes. Service only. Parameters: user_id. Returns: thing.
SELECT u.user_id::text AS thing FROM engine.users AS u WHERE u.user_id = %(user_id)s
UNION SELECT n.node_id::text FROM engine.nodes AS n WHERE n.user_id = %(user_id)s
LIMIT 100000

-- name: names
-- Purpose: what a user and the nodes are called. Service only. Parameters: user_id. Returns: name.
SELECT u.handle AS name FROM engine.users AS u WHERE u.user_id = %(user_id)s
UNION SELECT u.display_name FROM engine.users AS u WHERE u.user_id = %(user_id)s
UNION SELECT n.name FROM engine.nodes AS n WHERE n.user_id = %(user_id)s
LIMIT 100000

-- name: root
-- Purpose: the schema of a user's root, under which the files lie. Service only. Parameters: user_id. Returns: schema_name.
SELECT n.schema_name FROM engine.nodes AS n WHERE n.node_id = %(user_id)s

-- name: rows
-- Purpose: deletes rows of a user, some. Service only. Parameters: user_id, limit. Returns: nothing; the number of rows is that of the command.
DELETE FROM engine.{table} AS d WHERE d.ctid = ANY (ARRAY(SELECT t.ctid FROM engine.{table} AS t WHERE t.user_id = %(user_id)s LIMIT %(limit)s))

-- name: rows_of_nodes
-- Purpose: deletes rows of the nodes of a user, some. Service only. Parameters: user_id, limit. Returns: nothing; the number of rows is that of the command.
DELETE FROM engine.{table} AS d
WHERE d.ctid = ANY (ARRAY(SELECT t.ctid FROM engine.nodes AS n JOIN engine.{table} AS t ON t.node_id = n.node_id WHERE n.user_id = %(user_id)s LIMIT %(limit)s))

-- name: rows_of_retractions
-- Purpose: deletes rows of the retractions of a user, some. Service only. Parameters: user_id, limit. Returns: nothing; the number of rows is that of the command.
DELETE FROM engine.{table} AS d
WHERE d.ctid = ANY (ARRAY(SELECT t.ctid FROM engine.retractions AS r JOIN engine.{table} AS t ON t.retraction_id = r.retraction_id
                          WHERE r.user_id = %(user_id)s LIMIT %(limit)s))

-- name: tokens
-- Purpose: deletes the tokens of a user and of the user's personas. Service only. Parameters: user_id. Returns: nothing.
DELETE FROM engine.tokens AS t
WHERE t.principal_id = %(user_id)s OR t.principal_id IN (SELECT n.node_id FROM engine.nodes AS n WHERE n.user_id = %(user_id)s)

-- name: access_log
-- Purpose: deletes lines of the access log about a user's graph, and those in which the user acted, some. Service only. Parameters: user_id, limit. Returns: nothing.
DELETE FROM engine.access_log AS d
WHERE d.ctid = ANY (ARRAY(SELECT t.ctid FROM engine.access_log AS t WHERE t.user_id = %(user_id)s OR t.user_id IS NULL AND t.actor_id = %(user_id)s
                          LIMIT %(limit)s))

-- name: file_log
-- Purpose: the log of file states of a user loses what it names, some lines. Service only. Parameters: user_id, limit, note. Returns: nothing.
UPDATE engine.compression_state_log AS d
SET user_id = engine.surrogate(d.user_id), node_id = engine.surrogate(d.node_id), file_id = engine.surrogate(d.file_id),
    actor_id = engine.surrogate(d.actor_id), detail = CASE WHEN d.detail ~ '^forgotten [0-9a-f-]+$' AND char_length(d.detail) = 46 THEN d.detail ELSE %(note)s::text END
WHERE d.ctid = ANY (ARRAY(SELECT t.ctid FROM engine.compression_state_log AS t WHERE t.user_id = %(user_id)s LIMIT %(limit)s))

-- name: commit_log
-- Purpose: the log of commits of a user loses what it names, some lines. Service only. Parameters: user_id, limit, note. Returns: nothing.
UPDATE engine.commit_log AS d
SET user_id = engine.surrogate(d.user_id), commit_id = engine.surrogate(d.commit_id), detail = CASE WHEN d.detail ~ '^forgotten [0-9a-f-]+$' AND char_length(d.detail) = 46 THEN d.detail ELSE %(note)s::text END,
    actor = engine.surrogate_name(d.actor)
WHERE d.ctid = ANY (ARRAY(SELECT t.ctid FROM engine.commit_log AS t WHERE t.user_id = %(user_id)s LIMIT %(limit)s))

-- name: job_runs
-- Purpose: reports of jobs lose the details that name nodes and records. Service only. Parameters: none. Returns: nothing.
UPDATE engine.job_runs AS r SET report = (r.report::jsonb - 'details')::json WHERE r.report::jsonb ? 'details'

-- name: nodes
-- Purpose: the lowest nodes of a user, some. Service only. Parameters: user_id, limit. Returns: node_id, schema_name.
SELECT n.node_id, n.schema_name FROM engine.nodes AS n WHERE n.user_id = %(user_id)s ORDER BY n.layer DESC, n.node_id LIMIT %(limit)s

-- name: schema
-- Purpose: deletes the tables of a node. Service only. Parameters: none. Returns: nothing.
DROP SCHEMA IF EXISTS {schema} CASCADE

-- name: node
-- Purpose: deletes the row of a node whose tables are deleted. Service only. Parameters: node_id. Returns: nothing.
DELETE FROM engine.nodes AS n WHERE n.node_id = %(node_id)s

-- name: forgettings
-- Purpose: earlier forgettings of a user lose what names the user. Service only. Parameters: user_id, forgetting_id (the one that goes on). Returns: nothing.
UPDATE engine.forgettings AS f SET user_id = NULL, reason = '', authored_by = engine.surrogate_name(f.authored_by)
WHERE f.user_id = %(user_id)s AND f.forgetting_id <> %(forgetting_id)s AND f.ended_at IS NOT NULL

-- name: user
-- Purpose: deletes the row of a user of whom nothing else is left. Service only. Parameters: user_id. Returns: nothing.
DELETE FROM engine.users AS u WHERE u.user_id = %(user_id)s
