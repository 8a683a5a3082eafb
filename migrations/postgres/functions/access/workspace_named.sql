-- The workspace of that name, created if it is missing.
CREATE OR REPLACE FUNCTION engine.workspace_named(p_name text) RETURNS uuid
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO engine.workspaces (workspace_id, name) VALUES (gen_random_uuid(), p_name) ON CONFLICT DO NOTHING;
    RETURN (SELECT w.workspace_id FROM engine.workspaces AS w WHERE w.name = p_name);
END $$;
