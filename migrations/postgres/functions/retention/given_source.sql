-- The id that was given for a source, of its id as records have it: without its kind.
CREATE OR REPLACE FUNCTION engine.given_source(p_source text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
RETURN regexp_replace(p_source, '^(conversation|text|file|fact):', '');
