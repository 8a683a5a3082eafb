-- Trigger: a permit is for a forgetting that goes on, and does not end before this transaction has; and for none whose things are on hold.
CREATE OR REPLACE FUNCTION engine.permit_running() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    f engine.forgettings;
BEGIN
    SELECT * INTO f FROM engine.forgettings AS r WHERE r.forgetting_id = NEW.forgetting_id AND r.state IN ('running', 'settling') FOR SHARE;
    IF f.forgetting_id IS NULL THEN
        RAISE EXCEPTION 'There is no such forgetting that goes on.' USING ERRCODE = 'insufficient_privilege';
    ELSIF EXISTS (SELECT FROM engine.holds AS h WHERE h.user_id = f.user_id AND h.released_at IS NULL) THEN
        PERFORM engine.refuse_held(f.kind, f.user_id, array_agg(t.thing) FILTER (WHERE t.kind = 'source'),
                                   array_agg(split_part(t.thing, ' ', 1)::uuid) FILTER (WHERE t.kind = 'place'),
                                   array_agg(DISTINCT split_part(t.thing, ' ', 2)::uuid) FILTER (WHERE t.kind = 'place'))
        FROM engine.forgetting_things AS t WHERE t.forgetting_id = f.forgetting_id AND t.kind IN ('source', 'place');
    END IF;
    RETURN NEW;
END $$;
