-- Registers a user with the root node, or returns the one with this handle. Service only.
CREATE OR REPLACE FUNCTION engine.provision_user(p_user uuid, p_workspace text, p_handle text, p_handle_key text, p_name text, p_key text,
                                      p_schemas text[], p_payload jsonb)
RETURNS TABLE (user_id uuid, node_id uuid, schema_name text, display_name text, state text, created boolean, taken_by text)
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    space uuid;
    candidate text;
BEGIN
    INSERT INTO engine.workspaces (workspace_id, name) VALUES (gen_random_uuid(), p_workspace) ON CONFLICT DO NOTHING;
    SELECT w.workspace_id INTO space FROM engine.workspaces AS w WHERE w.name = p_workspace;
    INSERT INTO engine.users (user_id, workspace_id, handle, handle_key, display_name)
    VALUES (p_user, space, p_handle, p_handle_key, p_name) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        RETURN QUERY SELECT u.user_id, n.node_id, n.schema_name, u.display_name, n.state, false, NULL::text
                     FROM engine.users AS u JOIN engine.nodes AS n ON n.user_id = u.user_id AND n.layer = 0
                     WHERE u.workspace_id = space AND u.handle = p_handle;
        IF NOT FOUND THEN
            RETURN QUERY SELECT NULL::uuid, NULL::uuid, NULL::text, NULL::text, NULL::text, false, u.handle
                         FROM engine.users AS u WHERE u.workspace_id = space AND u.handle_key = p_handle_key;
        END IF;
        RETURN;
    END IF;
    FOREACH candidate IN ARRAY p_schemas LOOP
        INSERT INTO engine.nodes (node_id, user_id, name, name_key, node_type, layer, schema_name, template_version)
        VALUES (p_user, p_user, p_name, p_key, 'user', 0, candidate, engine.template_version()) ON CONFLICT DO NOTHING;
        IF FOUND THEN
            PERFORM engine.create_node_schema(p_user, candidate);
            PERFORM engine.accept_commit(p_user, p_user, jsonb_build_array(jsonb_build_object('kind', 'node', 'node',
                (p_payload -> 'node') || jsonb_build_object('layer', 0, 'schema_name', candidate))));
            RETURN QUERY SELECT p_user, p_user, candidate, p_name, 'pending', true, NULL::text;
            RETURN;
        END IF;
    END LOOP;
    RAISE EXCEPTION 'No schema name is free.' USING ERRCODE = 'NG409';
END $$;
