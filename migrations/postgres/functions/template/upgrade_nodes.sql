-- Upgrades at most p_most nodes to the newest template, or only those asked for. Nodes locked by another upgrade are
-- skipped, and those in use for longer than the lock timeout; both are retried in the next batch.
CREATE OR REPLACE FUNCTION engine.upgrade_nodes(p_nodes uuid[], p_most integer, OUT upgraded integer, OUT busy integer, OUT outdated bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
    node engine.nodes;
BEGIN
    upgraded := 0; busy := 0;
    FOR node IN SELECT n.* FROM engine.nodes AS n
                WHERE n.template_version < engine.template_version() AND (p_nodes IS NULL OR n.node_id = ANY (p_nodes))
                ORDER BY n.template_version, n.node_id LIMIT p_most FOR UPDATE SKIP LOCKED
    LOOP
        BEGIN
            FOR step IN node.template_version + 1 .. engine.template_version() LOOP
                EXECUTE format('SELECT engine.upgrade_node_to_%s($1, $2)', step) USING node.node_id, node.schema_name;
            END LOOP;
            UPDATE engine.nodes SET template_version = engine.template_version() WHERE node_id = node.node_id;
            upgraded := upgraded + 1;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            busy := busy + 1;
        END;
    END LOOP;
    SELECT count(*) INTO outdated FROM engine.nodes AS n WHERE n.template_version < engine.template_version();
END $$;
