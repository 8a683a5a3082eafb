-- The workspace of a user, also for a persona, which sees no users.
CREATE OR REPLACE FUNCTION engine.workspace_of(p_user uuid) RETURNS uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN (SELECT u.workspace_id FROM engine.users AS u WHERE u.user_id = p_user AND p_user = engine.principal_graph());
GRANT EXECUTE ON FUNCTION engine.workspace_of TO neurigraph_request;
