-- Logs a request for something missing or hidden: counted the same way whether it exists or not.
-- A graph has one entry an hour for each operation and each actor that its owner may know; all others count as one, `stranger`.
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
GRANT EXECUTE ON FUNCTION engine.note_refused TO neurigraph_request;
