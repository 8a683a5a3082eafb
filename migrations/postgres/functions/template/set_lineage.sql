-- Trigger: sets the ids from the root down to the node itself.
CREATE OR REPLACE FUNCTION engine.set_lineage() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    NEW.lineage := coalesce((SELECT p.lineage FROM engine.nodes AS p WHERE p.node_id = NEW.parent_id), '{}') || NEW.node_id;
    RETURN NEW;
END $$;
