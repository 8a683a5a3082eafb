-- The retractions of the principal's own graph, newest first, one page; with p_id that one. Nothing for anyone else.
CREATE OR REPLACE FUNCTION engine.retractions_shown(p_id uuid, p_before bigint, p_most integer)
RETURNS TABLE (retraction_id uuid, number bigint, kind text, subject text, reason text, authored_by text, retracted_at timestamptz, state text,
               undone_at timestamptz, records bigint, facts bigint, revived bigint, waiting bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT r.retraction_id, r.number, r.kind, r.subject, r.reason, r.authored_by, r.retracted_at, r.state, r.undone_at,
           (SELECT count(*) FROM engine.retraction_steps AS s WHERE s.retraction_id = r.retraction_id AND s.fact_id IS NULL),
           (SELECT count(DISTINCT f.fact_id) FROM engine.retracted_facts AS f WHERE f.retraction_id = r.retraction_id AND f.role = 'withdrawn'),
           (SELECT count(DISTINCT f.fact_id) FROM engine.retracted_facts AS f JOIN engine.facts AS o ON o.fact_id = f.fact_id
            WHERE f.retraction_id = r.retraction_id AND f.role = 'changed' AND f.before ->> 'status' <> 'live' AND o.status = 'live'),
           (SELECT count(*) FROM engine.retraction_steps AS s WHERE s.retraction_id = r.retraction_id
            AND s.state = CASE r.state WHEN 'undoing' THEN 'done' ELSE 'waiting' END)
    FROM engine.retractions AS r
    WHERE r.user_id = engine.principal_user() AND (p_id IS NULL OR r.retraction_id = p_id) AND (p_before IS NULL OR r.number < p_before)
    ORDER BY r.number DESC LIMIT p_most;
END;
GRANT EXECUTE ON FUNCTION engine.retractions_shown TO neurigraph_request;
