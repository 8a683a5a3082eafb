-- Ends a step that is held: done, with the facts that it changed as they were before ([{fact_id, role, before}]), or undone. After the last one
-- the retraction is done, or undone. For the user of the graph.
CREATE OR REPLACE FUNCTION engine.end_retraction_step(p_id uuid, p_place integer, p_facts jsonb, p_now timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    owner uuid := engine.hold_retractions();
    known engine.retractions := (SELECT r FROM engine.retractions AS r WHERE r.retraction_id = p_id AND r.user_id = owner);
BEGIN
    IF known.state = 'running' THEN
        UPDATE engine.retraction_steps AS s
        SET state = 'done', done_number = nextval(pg_get_serial_sequence('engine.retraction_steps', 'done_number'))
        WHERE s.retraction_id = p_id AND s.place = p_place AND s.state = 'waiting';
        INSERT INTO engine.retracted_facts (retraction_id, place, fact_id, role, before)
        SELECT p_id, p_place, f.fact_id, f.role, f.before FROM jsonb_to_recordset(p_facts) AS f (fact_id uuid, role text, before jsonb);
        UPDATE engine.retractions AS r SET state = 'done'
        WHERE r.retraction_id = p_id
          AND NOT EXISTS (SELECT FROM engine.retraction_steps AS s WHERE s.retraction_id = p_id AND s.state = 'waiting');
    ELSIF known.state = 'undoing' THEN
        UPDATE engine.retraction_steps AS s SET state = 'undone' WHERE s.retraction_id = p_id AND s.place = p_place AND s.state = 'done';
        UPDATE engine.retractions AS r SET state = 'undone', undone_at = p_now
        WHERE r.retraction_id = p_id
          AND NOT EXISTS (SELECT FROM engine.retraction_steps AS s WHERE s.retraction_id = p_id AND s.state <> 'undone');
    END IF;
END $$;
GRANT EXECUTE ON FUNCTION engine.end_retraction_step TO neurigraph_request;
