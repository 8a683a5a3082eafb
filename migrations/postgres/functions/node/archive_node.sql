-- Archives a node of the caller's graph with all below it, or unarchives it; nodes below another archived node stay archived.
-- Returns the nodes for which that changed something, with all their archivings. Part of the commit of engine.revise_node.
CREATE OR REPLACE FUNCTION engine.archive_node(p_node uuid, p_archived boolean, p_now timestamptz)
RETURNS TABLE (node_id uuid, archivings timestamptz[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    -- Lock, as in revise_node: one change of a user's tree at a time.
    PERFORM FROM engine.nodes AS r WHERE r.node_id = engine.principal_user() FOR UPDATE;
    IF NOT engine.owns(p_node) THEN
        RAISE EXCEPTION 'There is no such node.' USING ERRCODE = 'NG404';
    END IF;
    UPDATE engine.nodes AS n SET archived = p_archived WHERE n.node_id = p_node AND n.archived <> p_archived;
    RETURN QUERY UPDATE engine.nodes AS n SET archivings = n.archivings || p_now
        WHERE n.user_id = engine.principal_user() AND p_node = ANY (n.lineage)
          AND (cardinality(n.archivings) % 2 = 1) <> EXISTS (
              SELECT FROM engine.nodes AS a WHERE a.node_id = ANY (n.lineage) AND a.archived)
        RETURNING n.node_id, n.archivings;
END $$;
GRANT EXECUTE ON FUNCTION engine.archive_node TO neurigraph_request;
