-- Empties a slot of a node that no version holds. Returns false if the node is locked or the slot was taken meanwhile.
CREATE OR REPLACE FUNCTION engine.clear_slot(p_node uuid, p_slot text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '250ms' AS $$
DECLARE
    node engine.nodes;
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtext('neurigraph embedding versions'));
    SELECT * INTO node FROM engine.nodes AS n WHERE n.node_id = p_node;
    IF EXISTS (SELECT FROM engine.embedding_versions AS v WHERE v.slot = p_slot) THEN
        RETURN false;
    END IF;
    PERFORM engine.reset_slot(node.schema_name, t.name, p_slot, 'public.vector')
    FROM (VALUES ('memory_items'), ('metadata_records')) AS t (name);
    EXECUTE format('ALTER TABLE %I.memory_items ALTER COLUMN %I SET STORAGE PLAIN', node.schema_name,
                   CASE p_slot WHEN 'a' THEN 'embedding' ELSE 'embedding_b' END);
    RETURN true;
EXCEPTION WHEN lock_not_available THEN
    RETURN false;
END $$;
