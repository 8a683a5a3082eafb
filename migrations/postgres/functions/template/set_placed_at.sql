-- Trigger: since when a node lies where it lies; readers below a grant see it from then on.
CREATE OR REPLACE FUNCTION engine.set_placed_at() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    NEW.placed_at := clock_timestamp();
    RETURN NEW;
END $$;
