-- Says that a retraction is to be undone; steps that wait are not done any more. One that is undone stays so. Returns the last of the later
-- retractions that changed a fact which this one changed: that one is undone first, and nothing is written. What was forgotten since does not come back: its
-- steps are over, and where nothing else was withdrawn, nothing is undone (NG425). The id of one that is erased is a surrogate, a UUID of version 8. NG404.
CREATE OR REPLACE FUNCTION engine.undo_retraction(p_id uuid, p_now timestamptz) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    owner uuid := engine.hold_retractions();
    later uuid;
    gone integer[];
BEGIN
    IF NOT EXISTS (SELECT FROM engine.retractions AS r WHERE r.retraction_id = p_id AND r.user_id = owner) THEN
        RAISE EXCEPTION 'There is no such retraction.' USING ERRCODE = 'NG404';
    END IF;
    SELECT s.retraction_id INTO later
    FROM engine.retraction_steps AS mine
    JOIN engine.retracted_facts AS f ON f.retraction_id = mine.retraction_id AND f.place = mine.place
    JOIN engine.retracted_facts AS o ON o.fact_id = f.fact_id AND o.retraction_id <> p_id
    JOIN engine.retraction_steps AS s ON s.retraction_id = o.retraction_id AND s.place = o.place
    WHERE mine.retraction_id = p_id AND mine.state = 'done' AND s.state = 'done' AND s.done_number > mine.done_number
    ORDER BY s.done_number DESC LIMIT 1;
    IF later IS NOT NULL THEN
        RETURN later;
    END IF;
    gone := ARRAY(SELECT s.place FROM engine.retraction_steps AS s WHERE s.retraction_id = p_id AND s.state = 'done'
                  AND (substr(s.record_id::text, 15, 1) = '8'
                       OR EXISTS (SELECT FROM engine.forgotten AS f WHERE f.hash = engine.tombstone('record', owner, s.record_id::text))));
    IF cardinality(gone) > 0 AND NOT EXISTS (SELECT FROM engine.retraction_steps AS s
                                             WHERE s.retraction_id = p_id AND s.state = 'done' AND s.place <> ALL (gone)) THEN
        RAISE EXCEPTION 'What was withdrawn was forgotten.' USING ERRCODE = 'NG425';
    END IF;
    UPDATE engine.retraction_steps AS s SET state = 'undone'
    WHERE s.retraction_id = p_id AND (s.state = 'waiting' OR s.place = ANY (gone));
    UPDATE engine.retractions AS r SET state = 'undoing' WHERE r.retraction_id = p_id AND r.state <> 'undone';
    UPDATE engine.retractions AS r SET state = 'undone', undone_at = p_now
    WHERE r.retraction_id = p_id AND r.state = 'undoing'
      AND NOT EXISTS (SELECT FROM engine.retraction_steps AS s WHERE s.retraction_id = p_id AND s.state = 'done');
    RETURN NULL;
END $$;
GRANT EXECUTE ON FUNCTION engine.undo_retraction TO neurigraph_request;
