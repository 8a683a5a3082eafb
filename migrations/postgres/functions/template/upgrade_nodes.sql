-- Upgrades the tables of nodes to the newest template, one page, each node whole or not at all. A node that another process uses is left for
-- another round; one whose upgrade fails stays as it is, with the reason.
CREATE OR REPLACE FUNCTION engine.upgrade_nodes(p_after uuid, p_most integer)
RETURNS TABLE (node_id uuid, failure text)  -- NULL where it was upgraded, empty where it is in use; no row where another process upgrades it
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
#variable_conflict use_column
DECLARE
    node engine.nodes;
BEGIN
    FOR node IN SELECT n.* FROM engine.nodes AS n
                WHERE n.template_version < engine.template_version() AND n.node_id > p_after
                ORDER BY n.node_id LIMIT p_most FOR UPDATE SKIP LOCKED
    LOOP
        node_id := node.node_id; failure := NULL;
        BEGIN
            FOR step IN node.template_version + 1 .. engine.template_version() LOOP
                EXECUTE format('SELECT engine.%I($1, $2)', 'upgrade_node_to_' || step) USING node.node_id, node.schema_name;
            END LOOP;
            UPDATE engine.nodes AS n SET template_version = engine.template_version() WHERE n.node_id = node.node_id;
        EXCEPTION
            WHEN lock_not_available OR deadlock_detected THEN
                failure := '';
            WHEN insufficient_resources OR operator_intervention THEN
                RAISE;
            WHEN OTHERS THEN
                failure := SQLERRM;
        END;
        RETURN NEXT;
    END LOOP;
END $$;
