-- Which version is searched now, and where one lies. Names of models tell nothing about anybody.
CREATE OR REPLACE FUNCTION engine.active_embeddings() RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN (SELECT v.name FROM engine.embedding_versions AS v WHERE v.status = 'active');
GRANT EXECUTE ON FUNCTION engine.active_embeddings TO neurigraph_request;
