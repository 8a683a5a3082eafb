-- Begins a retraction with its steps, or goes on with the one of the same subject, to which records that came since are added. What
-- another retraction has withdrawn is left to that one. refused: `undoing` where the one of this subject is being undone, `elsewhere` where
-- others have withdrawn all; nothing is written then. p_steps: [{node_id, record_id, fact_id}]; NG404 for one at a node of another user.
CREATE OR REPLACE FUNCTION engine.begin_retraction(p_id uuid, p_kind text, p_subject text, p_reason text, p_author text, p_now timestamptz, p_steps jsonb)
RETURNS TABLE (retraction_id uuid, refused text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    owner uuid := engine.hold_retractions();
    known engine.retractions;
    last integer;
    added jsonb;
BEGIN
    SELECT * INTO known FROM engine.retractions AS r WHERE r.user_id = owner AND r.kind = p_kind AND r.subject = p_subject AND r.state <> 'undone';
    IF EXISTS (SELECT FROM jsonb_to_recordset(p_steps) AS s (node_id uuid)
               WHERE NOT EXISTS (SELECT FROM engine.nodes AS n WHERE n.node_id = s.node_id AND n.user_id = owner)) THEN
        RAISE EXCEPTION 'There is no such record.' USING ERRCODE = 'NG404';
    END IF;
    SELECT jsonb_agg(s ORDER BY s.record_id, s.fact_id) INTO added FROM jsonb_to_recordset(p_steps) AS s (node_id uuid, record_id uuid, fact_id uuid)
    WHERE NOT EXISTS (SELECT FROM engine.retraction_steps AS o WHERE o.state <> 'undone'
                      AND (o.record_id = s.record_id AND o.fact_id IS NULL OR o.fact_id = s.fact_id));
    IF known.state = 'undoing' THEN
        RETURN QUERY SELECT NULL::uuid, 'undoing';
    ELSIF known.retraction_id IS NULL AND added IS NULL THEN
        RETURN QUERY SELECT NULL::uuid, 'elsewhere';
    ELSE
        IF known.retraction_id IS NULL THEN
            INSERT INTO engine.retractions (retraction_id, user_id, kind, subject, reason, authored_by, retracted_at)
            VALUES (p_id, owner, p_kind, p_subject, p_reason, p_author, p_now);
        ELSIF added IS NOT NULL THEN
            UPDATE engine.retractions AS r SET state = 'running' WHERE r.retraction_id = known.retraction_id;
        END IF;
        last := coalesce((SELECT max(o.place) FROM engine.retraction_steps AS o WHERE o.retraction_id = known.retraction_id), 0);
        INSERT INTO engine.retraction_steps (retraction_id, place, node_id, record_id, fact_id)
        SELECT coalesce(known.retraction_id, p_id), last + s.number, (s.step ->> 'node_id')::uuid, (s.step ->> 'record_id')::uuid, (s.step ->> 'fact_id')::uuid
        FROM jsonb_array_elements(added) WITH ORDINALITY AS s (step, number);
        RETURN QUERY SELECT coalesce(known.retraction_id, p_id), NULL::text;
    END IF;
END $$;
GRANT EXECUTE ON FUNCTION engine.begin_retraction TO neurigraph_request;
