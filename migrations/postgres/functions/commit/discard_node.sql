-- Undoes the provisioning of a node that was never visible: schema, registry, and for a root its user. The name is free again.
CREATE OR REPLACE FUNCTION engine.discard_node(p_work engine.outbox) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    node engine.nodes;
BEGIN
    SELECT * INTO node FROM engine.nodes AS n WHERE n.node_id = p_work.commit_id AND n.state = 'pending' FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    EXECUTE format('DROP SCHEMA IF EXISTS %I CASCADE', node.schema_name);
    DELETE FROM engine.pending_vectors AS p WHERE p.node_id = node.node_id;
    DELETE FROM engine.nodes AS n WHERE n.node_id = node.node_id;
    IF node.layer = 0 THEN
        DELETE FROM engine.users AS u WHERE u.user_id = node.user_id;
    END IF;
EXCEPTION WHEN foreign_key_violation THEN
    RAISE EXCEPTION 'Other rows still refer to this node.' USING ERRCODE = 'NG409';
END $$;
