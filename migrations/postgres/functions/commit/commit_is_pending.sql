-- Whether a commit of the caller's own graph is unfinished or set aside: its source is neither stored nor free.
CREATE OR REPLACE FUNCTION engine.commit_is_pending(p_commit uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN coalesce((SELECT o.state IN ('pending', 'set_aside') FROM engine.outbox AS o
                 WHERE o.commit_id = p_commit AND o.user_id = engine.principal_graph()), false);
GRANT EXECUTE ON FUNCTION engine.commit_is_pending TO neurigraph_request;
