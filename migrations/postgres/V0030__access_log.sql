-- The access log: refused requests are counted by the hour, lines have an end, and no line names somebody whom its
-- reader may not know. Anyone can be refused as often as they like, so a line for each would let anyone fill the log.

ALTER TABLE engine.access_log
    ADD COLUMN requests bigint NOT NULL DEFAULT 1 CHECK (requests > 0),
    ADD COLUMN last_at  timestamptz,  -- of several requests; NULL for what happened once
    ADD COLUMN period   timestamptz;  -- the hour that refused requests are counted in

-- Whether the user of a graph may know who acted there: the user, an own persona, an integration that it granted a node to.
CREATE FUNCTION engine.knows_actor(p_user uuid, p_kind text, p_actor uuid) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
RETURN CASE p_kind
    WHEN 'user' THEN p_actor = p_user
    WHEN 'persona' THEN EXISTS (SELECT FROM engine.nodes AS n WHERE n.node_id = p_actor AND n.user_id = p_user)
    WHEN 'third_party' THEN EXISTS (SELECT FROM engine.grants AS g
                                    WHERE g.user_id = p_user AND g.subject_kind = 'third_party' AND g.subject_id = p_actor)
    ELSE false END;
REVOKE ALL ON FUNCTION engine.knows_actor FROM PUBLIC;

-- What was written until now, in the new form; the first line of an hour keeps its place.
DROP TRIGGER append_only ON engine.access_log;
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

-- A line is never changed, but for the count of refused requests; it goes when it is old, and not before 30 days.
CREATE FUNCTION engine.keep_access_log() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    counted text[] := '{requests,last_at,node_id}';
BEGIN
    IF TG_OP = 'DELETE' AND OLD.occurred_at < statement_timestamp() - interval '30 days' THEN
        RETURN OLD;
    END IF;
    IF TG_OP = 'UPDATE' AND OLD.event = 'refused' AND NEW.requests = OLD.requests + 1
       AND to_jsonb(OLD) - counted = to_jsonb(NEW) - counted THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'This table only grows.' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON engine.access_log FOR EACH ROW EXECUTE FUNCTION engine.keep_access_log();

-- A request asked for something that is not there for it: counted the same way whether it exists or not.
-- A graph has one line an hour for each operation, and each actor that its user may know; all others are one, `stranger`.
CREATE OR REPLACE FUNCTION engine.note_refused(p_node uuid, p_operation text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO engine.access_log AS l (event, user_id, node_id, actor_kind, actor_id, detail, last_at, period)
    SELECT 'refused', asked.owner, CASE WHEN asked.owner IS NOT NULL THEN p_node END,
           CASE WHEN asked.known THEN engine.principal_kind() ELSE 'stranger' END,
           CASE WHEN asked.known THEN engine.principal_id() END,
           left(p_operation, 500), clock_timestamp(), date_trunc('hour', clock_timestamp(), 'UTC')
    FROM (SELECT o.owner, o.owner IS NULL
                 OR coalesce(engine.knows_actor(o.owner, engine.principal_kind(), engine.principal_id()), false) AS known
          FROM (SELECT (SELECT n.user_id FROM engine.nodes AS n WHERE n.node_id = p_node) AS owner) AS o) AS asked
    ON CONFLICT (user_id, actor_kind, actor_id, detail, period) WHERE event = 'refused'
    DO UPDATE SET requests = l.requests + 1, last_at = greatest(l.last_at, excluded.last_at), node_id = excluded.node_id
$$;
REVOKE ALL ON FUNCTION engine.keep_access_log FROM PUBLIC;
