-- Counts the files of these nodes whose state in the manifest differs from their state, for the comparison of the stores. Service only.
CREATE OR REPLACE FUNCTION engine.wrong_file_states(p_nodes uuid[]) RETURNS TABLE (node_id uuid, files bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    n record;
BEGIN
    FOR n IN SELECT m.node_id, m.schema_name FROM engine.nodes AS m
             WHERE m.node_id = ANY (p_nodes) AND to_regclass(format('%I.file_manifest', m.schema_name)) IS NOT NULL LOOP
        node_id := n.node_id;
        EXECUTE format('SELECT count(*) FROM %I.file_manifest AS f LEFT JOIN engine.awake_files AS a'
                       ' ON a.node_id = $1 AND a.file_id = f.file_id'
                       ' WHERE f.compression_state <> coalesce(a.state, ''dormant'')', n.schema_name) INTO files USING n.node_id;
        IF files > 0 THEN
            RETURN NEXT;
        END IF;
    END LOOP;
END $$;
