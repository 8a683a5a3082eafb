-- Whose entry is written: the graph's of the principal; for the service nobody's.
CREATE OR REPLACE FUNCTION engine.failing_user() RETURNS uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN CASE WHEN session_user = 'neurigraph_request' THEN engine.principal_graph() END;
