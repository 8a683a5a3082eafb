-- What live records of these nodes lack in the shared tables: the decision by which each lies where it does, and the input that its file came
-- with. Only nodes whose tables are complete by the catalog, and that lack something.
CREATE OR REPLACE FUNCTION engine.lost_rows_of_nodes(p_nodes uuid[]) RETURNS TABLE (schema_name text, decisions bigint, inputs bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    node engine.nodes;
BEGIN
    FOR node IN SELECT n.* FROM engine.whole_nodes(p_nodes) AS n
    LOOP
        schema_name := node.schema_name;
        EXECUTE format(
            'SELECT count(*) FILTER (WHERE (SELECT a.node_id FROM engine.assignments AS a WHERE a.record_id = r.record_id ORDER BY a.entry_id DESC LIMIT 1)'
            '                        IS DISTINCT FROM $1),'
            ' count(*) FILTER (WHERE EXISTS (SELECT FROM %1$I.file_manifest AS f WHERE f.record_id = r.record_id AND NOT EXISTS ('
            '                      SELECT FROM engine.raw_resources AS w WHERE w.resource_id = f.file_id)))'
            ' FROM %1$I.metadata_records AS r WHERE r.state = ''live'' AND r.version_of IS NULL', node.schema_name)
        INTO decisions, inputs USING node.node_id;
        IF decisions + inputs > 0 THEN
            RETURN NEXT;
        END IF;
    END LOOP;
END $$;
