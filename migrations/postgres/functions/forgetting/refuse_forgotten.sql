-- Refuses a write of what was forgotten (NG425): any of these things of the principal's own graph. A persona asks by its own keys.
CREATE OR REPLACE FUNCTION engine.refuse_forgotten(p_kind text, p_things text[]) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM engine.is_forgotten(p_kind, p_things)) THEN
        RAISE EXCEPTION 'This was forgotten.' USING ERRCODE = 'NG425';
    END IF;
END $$;
GRANT EXECUTE ON FUNCTION engine.refuse_forgotten TO neurigraph_request;
