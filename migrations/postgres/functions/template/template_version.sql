-- The version of the tables that a new node gets.
CREATE OR REPLACE FUNCTION engine.template_version() RETURNS integer LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp RETURN 10;
GRANT EXECUTE ON FUNCTION engine.template_version TO neurigraph_request;
