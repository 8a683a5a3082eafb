-- Fills the gaps of a node's log of changes: the first entry of a record is rebuilt from its present state, other changes get an entry that
-- marks them as lost. Returns how many.
CREATE OR REPLACE FUNCTION engine.mend_deltas(p_node uuid) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    place text := (SELECT n.schema_name FROM engine.nodes AS n WHERE n.node_id = p_node);
    filled bigint;
BEGIN
    EXECUTE format(
        'INSERT INTO %1$I.delta_log (delta_id, subject_kind, subject_id, w_coordinate, payload, authored_by, created_at, revision)
         SELECT gen_random_uuid(), l.subject_kind, l.subject_id, l.valid_from,
                CASE WHEN l.revision = 1 THEN jsonb_build_object(''operation'', ''created'', ''reason'', ''The log lost this entry; it was made anew.'',
                         ''fields'', (SELECT jsonb_object_agg(f.name, jsonb_build_object(''before'', NULL, ''after'', f.value)) FROM (VALUES
                             (''title'', r.title), (''summary'', r.summary), (''content_type'', r.content_type), (''source_id'', r.source_id)) AS f (name, value)))
                     ELSE jsonb_build_object(''operation'', ''changed'', ''fields'', jsonb_build_object(), ''reason'', ''The log lost what this change said.'') END,
                ''doctor'', l.known_from, l.revision
         FROM engine.lost_deltas($1) AS l LEFT JOIN %1$I.metadata_records AS r ON r.record_id = l.subject_id
         ON CONFLICT DO NOTHING', place) USING p_node;
    GET DIAGNOSTICS filled = ROW_COUNT;
    RETURN filled;
END $$;
