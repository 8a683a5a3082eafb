-- The ids in a text, JSON among them: what names a thing that is forgotten is found by them.
CREATE OR REPLACE FUNCTION engine.ids_in(p_text text) RETURNS uuid[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 20000 SET search_path = pg_catalog, pg_temp
RETURN ARRAY(SELECT DISTINCT m[1]::uuid FROM regexp_matches(p_text, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') AS m);
GRANT EXECUTE ON FUNCTION engine.ids_in TO neurigraph_request;  -- indexes of tables that it writes have its values
