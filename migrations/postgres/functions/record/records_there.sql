-- Counts a user's live records; with the caller's rights.
CREATE OR REPLACE FUNCTION engine.records_there(p_user uuid) RETURNS bigint
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    part engine.nodes;
    found bigint;
    total bigint := 0;
BEGIN
    FOR part IN SELECT * FROM engine.nodes AS n WHERE n.user_id = p_user AND n.state = 'live' LOOP
        EXECUTE format('SELECT count(*) FROM %I.metadata_records WHERE state = ''live'' AND version_of IS NULL',
                       part.schema_name) INTO found;
        total := total + found;
    END LOOP;
    RETURN total;
END $$;
GRANT EXECUTE ON FUNCTION engine.records_there TO neurigraph_request;
