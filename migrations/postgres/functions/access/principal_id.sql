-- The id of the principal of this transaction; NULL if it is unset or no uuid.
CREATE OR REPLACE FUNCTION engine.principal_id() RETURNS uuid
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    given text := current_setting('engine.principal_id', true);
BEGIN
    RETURN CASE WHEN pg_input_is_valid(given, 'uuid') THEN given::uuid END;
END $$;
GRANT EXECUTE ON FUNCTION engine.principal_id TO neurigraph_request;
