-- Revisions of a node's records, of its items and of the node itself that are missing in its log of changes.
CREATE OR REPLACE FUNCTION engine.lost_deltas(p_node uuid) RETURNS TABLE (subject_kind text, subject_id uuid, revision integer, known_from timestamptz, valid_from timestamptz)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    node engine.nodes := (SELECT n FROM engine.nodes AS n WHERE n.node_id = p_node);
BEGIN
    RETURN QUERY EXECUTE format(
        'SELECT s.kind, s.id, g.revision, s.known_from, s.valid_from FROM (
             SELECT ''record'' AS kind, record_id AS id, 1 AS first, revision, created_at AS known_from, valid_from
             FROM %1$I.metadata_records WHERE version_of IS NULL AND state = ''live''
             UNION ALL SELECT ''item'', item_id, 2, revision, created_at, valid_from FROM %1$I.memory_items WHERE version_of IS NULL AND revision > 1
             UNION ALL SELECT ''node'', $1, 2, $2, $3, ''-infinity'') AS s,
         LATERAL generate_series(s.first, s.revision) AS g (revision)
         WHERE NOT EXISTS (SELECT FROM %1$I.delta_log AS d WHERE d.subject_id = s.id AND d.revision = g.revision)', node.schema_name)
    USING p_node, node.revision, node.created_at;
END $$;
