-- The next step of a retraction, held until the end of the transaction; where it is being undone the last that was done, with the facts
-- that it changed as they were before. No row: nothing is left to do. For the user of the graph.
CREATE OR REPLACE FUNCTION engine.retraction_step(p_id uuid)
RETURNS TABLE (place integer, node_id uuid, schema_name text, record_id uuid, fact_id uuid, undone boolean, reason text, logged jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    owner uuid := engine.hold_retractions();
BEGIN
    RETURN QUERY
        SELECT s.place, s.node_id, n.schema_name, s.record_id, s.fact_id, r.state = 'undoing', r.reason,
               coalesce((SELECT jsonb_agg(jsonb_build_object('role', f.role, 'before', '{"revision": 1, "doubts": []}' || f.before - 'contradicts') ORDER BY f.fact_id)
                         FROM engine.retracted_facts AS f WHERE f.retraction_id = p_id AND f.place = s.place), '[]')
        FROM engine.retractions AS r JOIN engine.retraction_steps AS s ON s.retraction_id = r.retraction_id
        JOIN engine.nodes AS n ON n.node_id = s.node_id
        WHERE r.retraction_id = p_id AND r.user_id = owner
              AND (r.state = 'running' AND s.state = 'waiting' OR r.state = 'undoing' AND s.state = 'done')
        ORDER BY CASE r.state WHEN 'running' THEN s.place ELSE -s.done_number END LIMIT 1;
END $$;
GRANT EXECUTE ON FUNCTION engine.retraction_step TO neurigraph_request;
