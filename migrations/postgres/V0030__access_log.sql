-- The access log: refused requests are counted by the hour, lines have an end, and no line names somebody whom its
-- reader may not know. Anyone can be refused as often as they like, so a line for each would let anyone fill the log.

ALTER TABLE engine.access_log
    ADD COLUMN requests bigint NOT NULL DEFAULT 1 CHECK (requests > 0),
    ADD COLUMN last_at  timestamptz,  -- of several requests; NULL for what happened once
    ADD COLUMN period   timestamptz;  -- the hour that refused requests are counted in

-- What was written until now, in the new form; the first line of an hour keeps its place.
DROP TRIGGER append_only ON engine.access_log;
-- Uses functions: access/knows_actor
WITH old AS (
    DELETE FROM engine.access_log WHERE event = 'refused' RETURNING *
), told AS (
    SELECT o.*, o.user_id IS NULL OR coalesce(engine.knows_actor(o.user_id, o.actor_kind, o.actor_id), false) AS known FROM old AS o
)
INSERT INTO engine.access_log (entry_id, occurred_at, event, user_id, node_id, actor_kind, actor_id, detail, requests, last_at, period)
OVERRIDING SYSTEM VALUE
SELECT min(t.entry_id), min(t.occurred_at), 'refused', t.user_id,
       CASE WHEN t.user_id IS NOT NULL THEN (array_agg(t.node_id ORDER BY t.entry_id DESC))[1] END,
       CASE WHEN t.known THEN t.actor_kind ELSE 'stranger' END, CASE WHEN t.known THEN t.actor_id END, t.detail,
       count(*), max(t.occurred_at), date_trunc('hour', t.occurred_at, 'UTC')
FROM told AS t
GROUP BY t.user_id, 6, 7, t.detail, 11;

CREATE UNIQUE INDEX access_log_refused ON engine.access_log (user_id, actor_kind, actor_id, detail, period)
    NULLS NOT DISTINCT WHERE event = 'refused';
CREATE INDEX access_log_by_time ON engine.access_log (occurred_at);

-- Uses functions: access/keep_access_log
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON engine.access_log FOR EACH ROW EXECUTE FUNCTION engine.keep_access_log();
