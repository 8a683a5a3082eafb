-- Which of these records at these nodes belong to the user's memory as a whole or to one of p_scopes (`thread:ID`), came in by p_sources (NULL: any) and were
-- there at a moment. The principal's own rights decide, at moments of the past those that it had then.
CREATE OR REPLACE FUNCTION engine.context_records(p_nodes uuid[], p_records uuid[], p_sources text[], p_scopes text[], p_as_of timestamptz,
                                                  p_known_at timestamptz, p_earliest timestamptz)
RETURNS TABLE (record_id uuid) LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    place record;
BEGIN
    FOR place IN SELECT n.node_id, n.schema_name FROM engine.nodes AS n
                 WHERE n.node_id = ANY (p_nodes) AND n.state = 'live'
                   AND (p_earliest IS NULL OR coalesce(engine.reads_from(n.node_id, 'records'), engine.reads_from(n.node_id, NULL)) <= p_earliest)
                 ORDER BY 1
    LOOP
        RETURN QUERY EXECUTE format(
            'SELECT coalesce(r.version_of, r.record_id) FROM %1$I.metadata_records AS r WHERE (r.record_id = ANY ($1) OR $6 AND r.version_of = ANY ($1)) AND r.state = ''live'''
            ' AND r.valid_from <= $4 AND (r.valid_to IS NULL OR r.valid_to > $4) AND r.known_from <= $5 AND (r.known_to IS NULL OR r.known_to > $5)'
            ' AND ($2 IS NULL OR r.source = ANY ($2)) AND (r.scope = ''user'' OR r.scope || '':'' || r.scope_id = ANY ($3)) AND (r.moved_at > $7) IS NOT TRUE',
            place.schema_name)
        USING p_records, p_sources, p_scopes, p_as_of, p_known_at, p_earliest IS NOT NULL,
              CASE WHEN p_earliest IS NOT NULL AND NOT engine.owns(place.node_id) THEN p_earliest END;
    END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION engine.context_records TO neurigraph_request;
