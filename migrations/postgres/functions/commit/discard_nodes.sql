-- Undoes the provisioning of the nodes of a commit, which were never visible, those below others first: schema, registry, and for a root
-- its user. The names are free again.
CREATE OR REPLACE FUNCTION engine.discard_nodes(p_work engine.outbox) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    node engine.nodes;
BEGIN
    FOR node IN SELECT n.* FROM engine.nodes AS n
                WHERE n.user_id = p_work.user_id AND n.state = 'pending' AND n.node_id IN (SELECT engine.nodes_made(p_work))
                ORDER BY n.layer DESC FOR UPDATE
    LOOP
        EXECUTE format('DROP SCHEMA IF EXISTS %I CASCADE', node.schema_name);
        DELETE FROM engine.term_counts AS t WHERE t.node_id = node.node_id;
        DELETE FROM engine.due AS d WHERE d.node_id = node.node_id;
        DELETE FROM engine.nodes AS n WHERE n.node_id = node.node_id;
        IF node.layer = 0 THEN
            DELETE FROM engine.users AS u WHERE u.user_id = node.user_id;
        END IF;
    END LOOP;
EXCEPTION WHEN foreign_key_violation THEN
    RAISE EXCEPTION 'Other rows still refer to this node.' USING ERRCODE = 'NG409';
END $$;
