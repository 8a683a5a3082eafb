-- The kind of the principal of this transaction; empty if it is unset. Statements in plpgsql are planned once.
CREATE OR REPLACE FUNCTION engine.principal_kind() RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN coalesce(current_setting('engine.principal_kind', true), '');
END $$;
GRANT EXECUTE ON FUNCTION engine.principal_kind TO neurigraph_request;
