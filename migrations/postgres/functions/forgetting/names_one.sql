-- Whether a text, JSON among them, has one of these ids, which are the keys of an object: it is looked up, however many there are.
CREATE OR REPLACE FUNCTION engine.names_one(p_text text, p_ids jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
RETURN p_ids ?| ARRAY(SELECT m[1] FROM regexp_matches(lower(p_text), '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') AS m);
