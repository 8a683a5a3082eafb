-- The schema of the node where a record lies now, by the last decision on it; NULL where there is none. `p_node`: where it was stored first.
CREATE OR REPLACE FUNCTION engine.record_place(p_record uuid, p_node uuid) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    lies uuid := coalesce((SELECT a.node_id FROM engine.assignments AS a WHERE a.record_id = p_record ORDER BY a.entry_id DESC LIMIT 1), p_node);
BEGIN
    RETURN (SELECT n.schema_name FROM engine.nodes AS n WHERE n.node_id = lies);  -- by its key: with the subquery in this condition all nodes are read
END $$;
GRANT EXECUTE ON FUNCTION engine.record_place TO neurigraph_request;
