-- Whether the principal may count or settle a failure: the service and the owner all of a graph, a persona those
-- of its own sessions.
CREATE OR REPLACE FUNCTION engine.handles_failure(p_session uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT session_user <> 'neurigraph_request' OR engine.principal_kind() = 'user'
        OR EXISTS (SELECT FROM engine.ingest_sessions AS s WHERE s.session_id = p_session AND s.actor_id = engine.principal_id())
$$;
