-- More nodes for a search of the past: nodes that were not known at the moment, but now hold a record that was then at one of
-- the searched nodes. So a moved record is found; other content of such a node is younger than the moment.
CREATE OR REPLACE FUNCTION engine.search_younger_nodes(p_user uuid, p_nodes uuid[], p_as_of timestamptz, p_known_at timestamptz, p_most integer)
RETURNS TABLE (node_id uuid, schema_name text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT n.node_id, n.schema_name
    FROM engine.nodes AS n
    WHERE n.user_id = p_user AND n.state = 'live' AND n.known_from > p_known_at AND n.known_to IS NULL
      AND n.valid_from <= p_as_of AND (n.valid_to IS NULL OR n.valid_to > p_as_of)
      AND n.node_id IN (
          SELECT a.node_id FROM engine.assignments AS a
          WHERE a.user_id = p_user AND a.moved_from IS NOT NULL
            AND (p_nodes IS NULL OR a.node_id = ANY (p_nodes) OR EXISTS (
                SELECT FROM engine.assignments AS b WHERE b.record_id = a.record_id AND b.node_id = ANY (p_nodes))))
    ORDER BY n.layer, n.created_at, n.node_id
    LIMIT p_most;
END;
GRANT EXECUTE ON FUNCTION engine.search_younger_nodes TO neurigraph_request;
