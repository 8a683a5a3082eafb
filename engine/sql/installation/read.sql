-- Purpose: the mark that Postgres carries, the next one, and why writing is stopped, if it is. Service only. Parameters: none.
-- Returns: the columns of engine.installation, users (whether there are any); no row before the first start.
SELECT i.installation_id, i.generation, i.mark_id, i.next_generation, i.next_mark_id, i.marked_at, i.stopped_because,
       EXISTS (SELECT FROM engine.users) AS users
FROM engine.installation AS i
