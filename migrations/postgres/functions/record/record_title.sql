-- The title of a record as it is now, with the caller's rights; '' of one that does not hold. `p_node`: where it was stored first.
CREATE OR REPLACE FUNCTION engine.record_title(p_record uuid, p_node uuid) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    place text := engine.record_place(p_record, p_node);
    title text;
BEGIN
    IF place IS NOT NULL THEN
        EXECUTE format('SELECT r.title FROM %I.metadata_records AS r WHERE r.record_id = $1 AND r.version_of IS NULL'
                       ' AND r.known_to IS NULL AND (r.valid_to IS NULL OR r.valid_to > now())', place) INTO title USING p_record;
    END IF;
    RETURN coalesce(title, '');
END $$;
GRANT EXECUTE ON FUNCTION engine.record_title TO neurigraph_request;
