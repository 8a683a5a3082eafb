-- Trigger: a forgetting stays, goes on only in its order, and is done only once nothing of it is named. Of one that is done only its user changes, who may be forgotten later.
CREATE OR REPLACE FUNCTION engine.keep_forgetting() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kept text[] := '{user_id,authored_by,reason}'::text[] || CASE WHEN OLD.receipt IS NULL THEN 'receipt' END;
    moves jsonb := '{"planned": ["running", "failed"], "running": ["settling", "failed"], "settling": ["done", "left", "failed"], "left": ["running"], "failed": ["running"]}';
BEGIN
    IF TG_OP <> 'UPDATE' OR NEW.forgetting_id <> OLD.forgetting_id OR NEW.number <> OLD.number OR NEW.kind <> OLD.kind OR NEW.asked_at <> OLD.asked_at
       OR NEW.user_hash <> OLD.user_hash OR NEW.subject_hash <> OLD.subject_hash OR NEW.subject NOT IN (OLD.subject, '')
       OR NEW.user_id IS DISTINCT FROM OLD.user_id AND NEW.user_id IS NOT NULL THEN
        RAISE EXCEPTION 'A forgetting stays as it was asked for.' USING ERRCODE = 'insufficient_privilege';
    ELSIF NEW.state <> OLD.state AND NOT coalesce(moves -> OLD.state ? NEW.state, false) THEN
        RAISE EXCEPTION 'A forgetting does not go from % to %.', OLD.state, NEW.state USING ERRCODE = 'insufficient_privilege';
    ELSIF OLD.state = 'done' AND to_jsonb(OLD) - kept <> to_jsonb(NEW) - kept THEN
        RAISE EXCEPTION 'A forgetting that is done does not change.' USING ERRCODE = 'insufficient_privilege';
    ELSIF NEW.state = 'done' AND OLD.state <> 'done'
          AND (EXISTS (SELECT FROM engine.forgetting_things AS t WHERE t.forgetting_id = NEW.forgetting_id AND t.thing IS NOT NULL)
               OR EXISTS (SELECT FROM engine.forgetting_objects AS o WHERE o.forgetting_id = NEW.forgetting_id)) THEN
        RAISE EXCEPTION 'A forgetting that still names what it takes is not done.' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;
