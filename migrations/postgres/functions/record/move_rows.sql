-- Moves the rows of a record, with its versions, items, manifest and deltas, from one node's schema to another's. The old node's log keeps
-- its own copy.
CREATE OR REPLACE FUNCTION engine.move_rows(p_record uuid, p_items uuid[], p_source text, p_target text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM engine.copy_rows('metadata_records', p_source, p_target, 'record_id', ARRAY[p_record]);
    PERFORM engine.copy_rows('metadata_records', p_source, p_target, 'version_of', ARRAY[p_record]);
    PERFORM engine.copy_rows('memory_items', p_source, p_target, 'record_id', ARRAY[p_record]);
    PERFORM engine.copy_rows('file_manifest', p_source, p_target, 'record_id', ARRAY[p_record]);
    PERFORM engine.copy_rows('delta_log', p_source, p_target, 'subject_id', p_record || p_items);
    EXECUTE format('DELETE FROM %I.file_manifest WHERE record_id = $1', p_source) USING p_record;
    EXECUTE format('DELETE FROM %I.memory_items WHERE record_id = $1', p_source) USING p_record;
    EXECUTE format('DELETE FROM %I.metadata_records WHERE record_id = $1 OR version_of = $1', p_source) USING p_record;
END $$;
