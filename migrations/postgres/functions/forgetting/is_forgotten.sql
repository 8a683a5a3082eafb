-- Which of these things of the principal's own graph were forgotten, and when. What a persona asks begins with its own keys: it does not learn what its owner forgot.
CREATE OR REPLACE FUNCTION engine.is_forgotten(p_kind text, p_things text[]) RETURNS TABLE (thing text, forgotten_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    graph uuid := engine.principal_graph();
    keys text := engine.own_keys();
BEGIN
    IF graph IS NOT NULL THEN
        RETURN QUERY SELECT t.thing, f.forgotten_at FROM unnest(p_things) AS t (thing)
            JOIN engine.forgotten AS f ON f.hash = engine.tombstone(p_kind, graph, t.thing) WHERE starts_with(t.thing, keys);
    END IF;
END $$;
GRANT EXECUTE ON FUNCTION engine.is_forgotten TO neurigraph_request;
