-- The slot that holds the vectors of a model; NULL if it has none.
CREATE OR REPLACE FUNCTION engine.embedding_slot(p_version text) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN (SELECT v.slot FROM engine.embedding_versions AS v WHERE v.name = p_version);
GRANT EXECUTE ON FUNCTION engine.embedding_slot TO neurigraph_request;
