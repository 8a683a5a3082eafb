-- name: keyed
-- Purpose: gives users or integrations the normal form of their names; the oldest of several that look alike has it, others
-- have it with their id, so that they stay and no further one is made. Service only.
-- Parameters: ids, keys (in the order of age); {table} with its columns {id}, {name}, {key}.
-- Returns: name of each that looks like another, and other, the one that it looks like.
WITH given AS (
    SELECT g.id, g.key, t.workspace_id, t.{name} AS name, row_number() OVER (PARTITION BY t.workspace_id, g.key ORDER BY g.place) AS place
    FROM unnest(%(ids)s::uuid[], %(keys)s::text[]) WITH ORDINALITY AS g (id, key, place) JOIN engine.{table} AS t ON t.{id} = g.id
), keyed AS (
    SELECT g.*, coalesce(
        (SELECT t.{name} FROM engine.{table} AS t WHERE t.workspace_id = g.workspace_id AND t.{key} = g.key),
        (SELECT o.name FROM given AS o
         WHERE g.place > 1 AND o.place = 1 AND o.workspace_id = g.workspace_id AND o.key = g.key)) AS other
    FROM given AS g
), changed AS (
    UPDATE engine.{table} AS t SET {key} = CASE WHEN k.other IS NULL THEN k.key ELSE k.key || '#' || k.id END
    FROM keyed AS k WHERE t.{id} = k.id AND t.{key} IS NULL
)
SELECT k.name, k.other FROM keyed AS k WHERE k.other IS NOT NULL

-- name: lock
-- Purpose: one process at a time makes missing normal forms, until its transaction ends. Service only. Parameters: none.
SELECT pg_advisory_xact_lock(hashtextextended('neurigraph look-alikes', 0))

-- name: unkeyed
-- Purpose: users or integrations whose name has no normal form yet, oldest first. Service only.
-- Parameters: limit; {table} with its columns {id}, {name}, {key}. Returns: id, name.
SELECT t.{id} AS id, t.{name} AS name FROM engine.{table} AS t WHERE t.{key} IS NULL ORDER BY t.created_at, t.{id} LIMIT %(limit)s
