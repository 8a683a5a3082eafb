-- Records of a user by node and record, after a given one; with the caller's rights.
CREATE OR REPLACE FUNCTION engine.records_after(p_user uuid, p_node uuid, p_record uuid, p_most integer)
RETURNS TABLE (node_id uuid, schema_name text, record_id uuid)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    part engine.nodes;
    wanted integer := p_most;
    given integer;
BEGIN
    FOR part IN SELECT * FROM engine.nodes AS n WHERE n.user_id = p_user AND n.state = 'live' AND n.node_id >= p_node ORDER BY n.node_id LOOP
        RETURN QUERY EXECUTE format('SELECT $1, $2, r.record_id FROM %I.metadata_records AS r'
                                    ' WHERE r.state = ''live'' AND ($3 IS NULL OR r.record_id > $3) AND r.version_of IS NULL'
                                    ' ORDER BY r.record_id LIMIT $4',
                                    part.schema_name)
        USING part.node_id, part.schema_name, CASE WHEN part.node_id = p_node THEN p_record END, wanted;
        GET DIAGNOSTICS given = ROW_COUNT;
        wanted := wanted - given;
        EXIT WHEN wanted = 0;
    END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION engine.records_after TO neurigraph_request;
