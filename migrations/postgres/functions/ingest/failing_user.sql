-- The user of a failure's entry: that of the principal's graph; NULL for the service.
CREATE OR REPLACE FUNCTION engine.failing_user() RETURNS uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN CASE WHEN session_user = 'neurigraph_request' THEN engine.principal_graph() END;
