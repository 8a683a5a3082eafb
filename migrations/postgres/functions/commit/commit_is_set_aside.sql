-- Whether a commit of the caller's own graph was set aside after its attempts.
CREATE OR REPLACE FUNCTION engine.commit_is_set_aside(p_commit uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN EXISTS (SELECT FROM engine.outbox AS o
               WHERE o.commit_id = p_commit AND o.user_id = engine.principal_graph() AND o.state = 'set_aside');
GRANT EXECUTE ON FUNCTION engine.commit_is_set_aside TO neurigraph_request;
