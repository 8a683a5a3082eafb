-- Registers a node with its schema and the outbox row, or returns the sibling of that name. The parent may still be pending: nodes of
-- one path are registered in one transaction.
CREATE OR REPLACE FUNCTION engine.provision_own_node(p_node uuid, p_parent uuid, p_name text, p_key text, p_type text,
                                                     p_schemas text[], p_payload jsonb)
RETURNS TABLE (node_id uuid, schema_name text, layer integer, state text, node_type text, created boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    parent engine.nodes;
    candidate text;
BEGIN
    SELECT * INTO parent FROM engine.nodes AS n WHERE n.node_id = p_parent AND n.known_to IS NULL;
    IF parent.node_id IS NULL OR NOT engine.can('write', p_parent) THEN
        RAISE EXCEPTION 'There is no such node.' USING ERRCODE = 'NG404';
    END IF;
    IF parent.layer >= 5 THEN
        RAISE EXCEPTION 'A node cannot lie deeper than layer 5.' USING ERRCODE = 'NG422';
    END IF;
    FOREACH candidate IN ARRAY p_schemas LOOP
        INSERT INTO engine.nodes (node_id, user_id, parent_id, name, name_key, node_type, layer, schema_name, template_version)
        VALUES (p_node, parent.user_id, p_parent, p_name, p_key, p_type, parent.layer + 1, candidate, engine.template_version())
        ON CONFLICT DO NOTHING;
        IF FOUND THEN
            PERFORM engine.create_node_schema(p_node, candidate);
            PERFORM engine.accept_commit(p_node, parent.user_id, jsonb_build_array(jsonb_build_object('kind', 'node', 'node',
                (p_payload -> 'node') || jsonb_build_object('layer', parent.layer + 1, 'schema_name', candidate))));
            RETURN QUERY SELECT p_node, candidate, parent.layer + 1, 'pending', p_type, true;
            RETURN;
        END IF;
        RETURN QUERY SELECT n.node_id, n.schema_name, n.layer::integer, n.state, n.node_type, false FROM engine.nodes AS n
                     WHERE n.user_id = parent.user_id AND n.parent_id = p_parent AND n.name_key = p_key;
        IF FOUND THEN
            RETURN;
        END IF;
    END LOOP;
    RAISE EXCEPTION 'No schema name is free.' USING ERRCODE = 'NG409';
END $$;
