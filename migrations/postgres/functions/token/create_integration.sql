-- Registers an application that users may grant nodes to, and returns it. Repeating it changes nothing; where another name looks
-- like this one, the integration of that name is returned.
CREATE OR REPLACE FUNCTION engine.create_integration(p_integration uuid, p_workspace text, p_name text, p_key text)
RETURNS TABLE (integration_id uuid, name text, created_at timestamptz, created boolean, taken_by text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    space uuid := engine.workspace_named(p_workspace);
BEGIN
    INSERT INTO engine.integrations (integration_id, workspace_id, name, name_key) VALUES (p_integration, space, p_name, p_key)
    ON CONFLICT DO NOTHING;
    RETURN QUERY SELECT i.integration_id, i.name, i.created_at, i.integration_id = p_integration, NULL::text
                 FROM engine.integrations AS i WHERE i.workspace_id = space AND i.name = p_name;
    IF NOT FOUND THEN
        RETURN QUERY SELECT i.integration_id, i.name, i.created_at, false, i.name
                     FROM engine.integrations AS i WHERE i.workspace_id = space AND i.name_key = p_key;
    END IF;
END $$;
