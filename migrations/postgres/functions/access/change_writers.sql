-- Who may commit a change of a kind: only the functions of the database that hold its rules; a principal that may write at the node
-- of each of its rows; or, as for every kind that is not named here, the owner of the graph alone.
CREATE OR REPLACE FUNCTION engine.change_writers(p_kind text) RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
RETURN CASE WHEN p_kind IN ('node', 'node_revised', 'granted', 'revoked') THEN 'functions'
            WHEN p_kind IN ('records', 'record_revised', 'record_reworded', 'mentions', 'relations', 'facts') THEN 'writers'
            ELSE 'owner' END;
