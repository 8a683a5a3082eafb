-- The version that is searched now. Names of models reveal nothing about users.
CREATE OR REPLACE FUNCTION engine.active_embeddings() RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN (SELECT v.name FROM engine.embedding_versions AS v WHERE v.status = 'active');
GRANT EXECUTE ON FUNCTION engine.active_embeddings TO neurigraph_request;
