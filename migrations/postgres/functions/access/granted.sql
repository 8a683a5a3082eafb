-- Whether a grant in force covers the node for this principal.
CREATE OR REPLACE FUNCTION engine.granted(p_mode text, p_lineage uuid[], p_field text) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN engine.granted_from(p_mode, p_lineage, p_field) IS NOT NULL;
END $$;
GRANT EXECUTE ON FUNCTION engine.granted TO neurigraph_request;
