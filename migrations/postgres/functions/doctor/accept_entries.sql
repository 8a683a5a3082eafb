-- Accepts that records of the node whose files are missing from the manifest have no file; this is logged. Returns their ids.
CREATE OR REPLACE FUNCTION engine.accept_entries(p_node uuid) RETURNS uuid[]
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    records uuid[] := ARRAY(SELECT l.record_id FROM engine.lost_entries(p_node) AS l);
BEGIN
    INSERT INTO engine.accepted_damage (kind, node_id, subject, detail)
    SELECT 'entry-lost', p_node, l.record_id::text, l.storage_path FROM engine.lost_entries(p_node) AS l;
    EXECUTE format('UPDATE %I.metadata_records SET file_pointer = NULL WHERE record_id = ANY ($1) OR version_of = ANY ($1)',
                   (SELECT n.schema_name FROM engine.nodes AS n WHERE n.node_id = p_node)) USING records;
    RETURN records;
END $$;
