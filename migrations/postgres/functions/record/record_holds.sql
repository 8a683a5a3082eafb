-- Whether a record holds now, with the caller's rights: it was neither withdrawn nor ended. `p_node`: where it was stored first.
CREATE OR REPLACE FUNCTION engine.record_holds(p_record uuid, p_node uuid) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    place text := engine.record_place(p_record, p_node);
    holds boolean;
BEGIN
    IF place IS NOT NULL THEN
        EXECUTE format('SELECT r.known_to IS NULL AND (r.valid_to IS NULL OR r.valid_to > now()) FROM %I.metadata_records AS r'
                       ' WHERE r.record_id = $1 AND r.version_of IS NULL', place) INTO holds USING p_record;
    END IF;
    RETURN coalesce(holds, false);
END $$;
GRANT EXECUTE ON FUNCTION engine.record_holds TO neurigraph_request;
