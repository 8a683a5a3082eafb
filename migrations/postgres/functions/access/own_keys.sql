-- The key prefix of the principal's sources and repeats: it keeps a persona's apart from its owner's.
CREATE OR REPLACE FUNCTION engine.own_keys() RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN CASE engine.principal_kind() WHEN 'user' THEN '' WHEN 'persona' THEN 'persona:' || engine.principal_id() END;
GRANT EXECUTE ON FUNCTION engine.own_keys TO neurigraph_request;
