-- The nodes to search, of those asked for, without nodes that were archived at the moment.
CREATE OR REPLACE FUNCTION engine.search_nodes(p_user uuid, p_nodes uuid[], p_as_of timestamptz, p_known_at timestamptz, p_most integer)
RETURNS TABLE (node_id uuid, schema_name text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT n.node_id, n.schema_name
    FROM engine.nodes AS n
    WHERE n.user_id = p_user AND (p_nodes IS NULL OR n.node_id = ANY (p_nodes)) AND n.state = 'live'
      AND n.valid_from <= p_as_of AND (n.valid_to IS NULL OR n.valid_to > p_as_of)
      AND n.known_from <= p_known_at AND (n.known_to IS NULL OR n.known_to > p_known_at)
      AND width_bucket(least(p_as_of, p_known_at), n.archivings) % 2 = 0
    ORDER BY n.layer, n.created_at, n.node_id
    LIMIT p_most;
END;
GRANT EXECUTE ON FUNCTION engine.search_nodes TO neurigraph_request;
