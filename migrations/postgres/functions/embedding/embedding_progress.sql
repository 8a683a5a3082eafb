-- The progress of a version, node by node, one page: all rows (records and items, slices too) and those with its vector.
CREATE OR REPLACE FUNCTION engine.embedding_progress(p_version text, p_after uuid, p_most integer)
RETURNS TABLE (node_id uuid, rows_in_all bigint, rows_done bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    node record;
    slot text := engine.embedding_slot(p_version);
    labels text := CASE slot WHEN 'b' THEN 'embedding_b_version' ELSE 'embedding_version' END;
BEGIN
    FOR node IN SELECT n.node_id AS id, n.schema_name AS place FROM engine.nodes AS n
                WHERE n.node_id > p_after ORDER BY n.node_id LIMIT p_most
    LOOP
        RETURN QUERY EXECUTE format(
            'SELECT $1, i.n + r.n, i.done + r.done'
            ' FROM (SELECT count(*) AS n, count(*) FILTER (WHERE %2$I = $2) AS done FROM %1$I.memory_items) AS i,'
            ' (SELECT count(*) AS n, count(*) FILTER (WHERE %2$I = $2) AS done FROM %1$I.metadata_records) AS r',
            node.place, labels)
        USING node.id, CASE WHEN slot IS NOT NULL THEN p_version END;
    END LOOP;
END $$;
