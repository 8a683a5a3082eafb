-- Whether the workspace has such a principal, and whose graph it belongs to: one row, or none. A user who is being forgotten is unknown.
CREATE OR REPLACE FUNCTION engine.principal_in(p_workspace text, p_kind text, p_id uuid) RETURNS TABLE (graph uuid)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT u.user_id FROM engine.users AS u JOIN engine.workspaces AS w USING (workspace_id)
    WHERE p_kind = 'user' AND w.name = p_workspace AND u.user_id = p_id AND u.forgotten_at IS NULL
    UNION ALL
    SELECT n.user_id FROM engine.nodes AS n JOIN engine.users AS u USING (user_id) JOIN engine.workspaces AS w USING (workspace_id)
    WHERE p_kind = 'persona' AND w.name = p_workspace AND n.node_id = p_id AND n.node_type = 'persona' AND n.state = 'live'
      AND n.known_to IS NULL AND u.forgotten_at IS NULL
    UNION ALL
    SELECT NULL FROM engine.integrations AS i JOIN engine.workspaces AS w USING (workspace_id)
    WHERE p_kind = 'third_party' AND w.name = p_workspace AND i.integration_id = p_id
$$;
