-- Staged records whose record has another revision now than when they were built, one page; `there`: whether they hold at their node.
CREATE OR REPLACE FUNCTION engine.replayed_outdated(p_replay uuid, p_most integer)
RETURNS TABLE (node_id uuid, schema_name text, record_id uuid, there boolean)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    part record;
    wanted integer := p_most;
    given integer;
BEGIN
    FOR part IN SELECT n.node_id, n.schema_name FROM engine.nodes AS n WHERE n.node_id IN (
                    SELECT s.node_id FROM engine.replayed_records AS s WHERE s.replay_id = p_replay AND s.plan IS NOT NULL) ORDER BY 1 LOOP
        RETURN QUERY EXECUTE format(
            'SELECT $2, $3, s.record_id, coalesce(r.known_to IS NULL AND r.record_id IS NOT NULL, false)'
            ' FROM engine.replayed_records AS s'
            ' LEFT JOIN %I.metadata_records AS r ON r.record_id = s.record_id AND r.version_of IS NULL'
            ' WHERE s.replay_id = $1 AND s.node_id = $2 AND s.plan IS NOT NULL AND r.revision IS DISTINCT FROM s.revision'
            ' ORDER BY s.record_id LIMIT $4', part.schema_name)
        USING p_replay, part.node_id, part.schema_name, wanted;
        GET DIAGNOSTICS given = ROW_COUNT;
        wanted := wanted - given;
        EXIT WHEN wanted = 0;
    END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION engine.replayed_outdated TO neurigraph_request;
