-- Whether the whole past of this node is visible: to its owner, and to a principal that may write there while it changes something.
CREATE OR REPLACE FUNCTION engine.reads_whole_past(p_node uuid) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN engine.owns(p_node) OR (current_setting('engine.whole_past', true) = 'on' AND engine.can('write', p_node, NULL));
END $$;
GRANT EXECUTE ON FUNCTION engine.reads_whole_past TO neurigraph_request;
