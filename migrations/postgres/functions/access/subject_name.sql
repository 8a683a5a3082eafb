-- The name of a subject of the principal's own grants.
CREATE OR REPLACE FUNCTION engine.subject_name(p_subject uuid) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN (SELECT coalesce((SELECT i.name FROM engine.integrations AS i WHERE i.integration_id = p_subject),
                        (SELECT n.name FROM engine.nodes AS n WHERE n.node_id = p_subject))
        WHERE EXISTS (SELECT FROM engine.grants AS g WHERE g.subject_id = p_subject AND g.user_id = engine.principal_user()));
GRANT EXECUTE ON FUNCTION engine.subject_name TO neurigraph_request;
