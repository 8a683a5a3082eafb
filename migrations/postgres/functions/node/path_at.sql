-- The names from the root down to a node at a moment, without nodes that the principal could not read then.
CREATE OR REPLACE FUNCTION engine.path_at(p_node uuid, p_as_of timestamptz, p_known_at timestamptz) RETURNS text[]
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    WITH RECURSIVE up AS (
        SELECT p_node AS node_id, 0 AS step
        UNION ALL
        SELECT coalesce((SELECT s.parent_id FROM engine.node_slices AS s
                         WHERE s.node_id = up.node_id AND s.valid_from <= p_as_of AND (s.valid_to IS NULL OR s.valid_to > p_as_of)
                           AND s.known_from <= p_known_at AND (s.known_to IS NULL OR s.known_to > p_known_at)),
                        (SELECT n.parent_id FROM engine.nodes AS n WHERE n.node_id = up.node_id)), up.step + 1
        FROM up WHERE up.node_id IS NOT NULL AND up.step < 6
    )
    SELECT array_agg(coalesce((SELECT s.name FROM engine.node_slices AS s
                               WHERE s.node_id = n.node_id AND s.valid_from <= p_as_of AND (s.valid_to IS NULL OR s.valid_to > p_as_of)
                                 AND s.known_from <= p_known_at AND (s.known_to IS NULL OR s.known_to > p_known_at)), n.name)
                     ORDER BY up.step DESC)
    FROM up JOIN engine.nodes AS n USING (node_id)
    WHERE engine.reads_from(n.node_id, NULL) <= least(p_as_of, p_known_at);
END;
GRANT EXECUTE ON FUNCTION engine.path_at TO neurigraph_request;
