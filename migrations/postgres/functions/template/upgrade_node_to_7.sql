-- From template 6 to 7; may be repeated.
CREATE OR REPLACE FUNCTION engine.upgrade_node_to_7(p_node uuid, p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    place text;
BEGIN
    FOREACH place IN ARRAY ARRAY['metadata_records', 'memory_items'] LOOP
        EXECUTE format('ALTER TABLE %I.%I ADD COLUMN IF NOT EXISTS moved_at timestamptz', p_schema, place);
        EXECUTE format('UPDATE %I.%I AS r SET moved_at = m.at FROM (SELECT a.record_id, max(a.decided_at) AS at FROM engine.assignments AS a'
                       ' WHERE a.node_id = $1 AND a.moved_from IS NOT NULL GROUP BY 1) AS m WHERE m.record_id IN (r.record_id, r.%I)',
                       p_schema, place, CASE place WHEN 'metadata_records' THEN 'version_of' ELSE 'record_id' END) USING p_node;
    END LOOP;
    EXECUTE format('ALTER TABLE %I.file_manifest ADD COLUMN IF NOT EXISTS part boolean NOT NULL DEFAULT false', p_schema);
    EXECUTE format('UPDATE %I.file_manifest AS f SET part = true WHERE EXISTS (SELECT FROM engine.document_versions AS v'
                   ' WHERE v.file_id = f.file_id AND v.document_id <> f.record_id)', p_schema);
    PERFORM engine.apply_node_policies(p_node, p_schema);
END $$;
