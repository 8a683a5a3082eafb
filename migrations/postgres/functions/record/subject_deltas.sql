-- The changes of a record, item or node, one page; for a reader other than the owner only those since it may read, and without
-- hidden values; none of what was withdrawn.
CREATE OR REPLACE FUNCTION engine.subject_deltas(p_node uuid, p_subject uuid, p_after integer, p_most integer)
RETURNS TABLE (delta_id uuid, subject_kind text, subject_id uuid, revision integer, w_coordinate timestamptz, payload jsonb,
               authored_by text, created_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    node_schema text := (SELECT n.schema_name FROM engine.nodes AS n WHERE n.node_id = p_node);
    whole boolean := engine.reads_whole_past(p_node);
    others boolean;
    since timestamptz;
BEGIN
    IF node_schema IS NULL OR NOT engine.can('write', p_node) THEN
        RETURN;
    END IF;
    EXECUTE format('SELECT count(*) > 0, greatest(max(s.moved_at), engine.reads_from($2, ''records'')) FROM ('
                   'SELECT moved_at FROM %1$I.metadata_records WHERE record_id = $1 AND privacy <> ''private'' AND known_to IS NULL'
                   ' UNION ALL SELECT i.moved_at FROM %1$I.memory_items AS i JOIN %1$I.metadata_records AS r USING (record_id)'
                   ' WHERE i.item_id = $1 AND i.privacy <> ''private'' AND i.known_to IS NULL AND r.known_to IS NULL) AS s', node_schema)
    INTO others, since USING p_subject, p_node;
    IF others OR engine.owns(p_node) THEN
        RETURN QUERY EXECUTE format(
            'SELECT delta_id, subject_kind, subject_id, revision, w_coordinate,'
            ' CASE WHEN $4 THEN payload ELSE engine.told_payload(payload, w_coordinate, authored_by, $5) END,'
            ' CASE WHEN $4 OR authored_by NOT LIKE ''persona:%%'' OR engine.can(''read'', substr(authored_by, 9)::uuid, NULL)'
            ' THEN authored_by ELSE ''persona'' END, created_at'
            ' FROM %I.delta_log WHERE subject_id = $1 AND revision > $2 AND ($4 OR created_at >= $5) ORDER BY revision LIMIT $3', node_schema)
        USING p_subject, p_after, p_most, whole, since;
    END IF;
END $$;
GRANT EXECUTE ON FUNCTION engine.subject_deltas TO neurigraph_request;
