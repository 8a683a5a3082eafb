-- Lets what was forgotten be stored anew: deletes the tombstones of these sources, requests or sessions, of the principal's own keys alone. One whose forgetting
-- is not done stays, and refuses: what came in would be erased with the rest.
CREATE OR REPLACE FUNCTION engine.store_again(p_kind text, p_things text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    graph uuid := engine.principal_graph();
    keys text := engine.own_keys();
BEGIN
    IF graph IS NOT NULL AND p_kind IN ('source', 'key', 'session') THEN
        DELETE FROM engine.forgotten AS f USING unnest(p_things) AS t (thing), engine.forgettings AS g
        WHERE starts_with(t.thing, keys) AND f.hash = engine.tombstone(p_kind, graph, t.thing)
          AND g.forgetting_id = f.forgetting_id AND g.state = 'done';
    END IF;
END $$;
GRANT EXECUTE ON FUNCTION engine.store_again TO neurigraph_request;
