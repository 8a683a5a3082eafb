-- The id of the principal if it is a user; NULL for any other.
CREATE OR REPLACE FUNCTION engine.principal_user() RETURNS uuid
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
RETURN CASE WHEN engine.principal_kind() = 'user' THEN engine.principal_id() END;
GRANT EXECUTE ON FUNCTION engine.principal_user TO neurigraph_request;
