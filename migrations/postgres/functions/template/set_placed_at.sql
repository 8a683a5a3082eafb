-- Trigger: sets since when a node has its present parent; readers with a grant above see it from then on.
CREATE OR REPLACE FUNCTION engine.set_placed_at() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    NEW.placed_at := clock_timestamp();
    RETURN NEW;
END $$;
