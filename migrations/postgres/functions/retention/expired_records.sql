-- Records of a user that have expired at a time, and whether a hold is on each. p_free: only those that are not held. At most p_limit, those that expired first come first.
CREATE OR REPLACE FUNCTION engine.expired_records(p_user uuid, p_now timestamptz, p_free boolean, p_limit integer)
RETURNS TABLE (record_id uuid, node_id uuid, schema_name text, source_id text, title text, kind text, stored_at timestamptz, withdrawn boolean, held boolean)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    rest integer := p_limit;
    found integer;
    e record;
BEGIN
    FOR e IN
        SELECT x.record_id, n.node_id, n.schema_name FROM engine.expiries AS x
        JOIN engine.nodes AS n ON n.schema_name = engine.record_place(x.record_id, x.node_id)
        WHERE x.user_id = p_user AND x.expires_at <= p_now ORDER BY x.expires_at, x.record_id
    LOOP
        RETURN QUERY EXECUTE format(
            'SELECT r.record_id, $2, $3, r.source_id, r.title, engine.kind_of_record(r.content_type, r.source_id), r.created_at, r.known_to IS NOT NULL OR coalesce(r.valid_to <= now(), false), h.held'
            ' FROM %I.metadata_records AS r CROSS JOIN LATERAL (SELECT engine.on_hold($4, ARRAY[r.source_id], ARRAY[r.record_id], ARRAY[$2]) AS held) AS h'
            ' WHERE r.record_id = $1 AND r.version_of IS NULL AND r.state = ''live'' AND NOT ($5 AND h.held)', e.schema_name)
            USING e.record_id, e.node_id, e.schema_name, p_user, p_free;
        GET DIAGNOSTICS found = ROW_COUNT;
        rest := rest - found;
        EXIT WHEN rest <= 0;
    END LOOP;
END $$;
