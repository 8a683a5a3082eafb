-- What Postgres has of these records of these nodes, for the comparison with the graph. Only nodes whose tables are complete by the catalog.
CREATE OR REPLACE FUNCTION engine.record_copies(p_nodes uuid[], p_records uuid[])
RETURNS TABLE (record_id uuid, node_id uuid, schema_name text, privacy text, content_type text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    node engine.nodes;
BEGIN
    FOR node IN SELECT n.* FROM engine.whole_nodes(p_nodes) AS n
    LOOP
        RETURN QUERY EXECUTE format('SELECT r.record_id, $1, $2, r.privacy, r.content_type FROM %I.metadata_records AS r'
                                    ' WHERE r.record_id = ANY ($3) AND r.version_of IS NULL AND r.state = ''live''', node.schema_name)
        USING node.node_id, node.schema_name, p_records;
    END LOOP;
END $$;
