-- The principal of this transaction as an author.
CREATE OR REPLACE FUNCTION engine.principal_name() RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN engine.principal_kind() || ':' || engine.principal_id();
END $$;
GRANT EXECUTE ON FUNCTION engine.principal_name TO neurigraph_request;
