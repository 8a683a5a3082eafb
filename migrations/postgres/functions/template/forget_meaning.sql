-- Trigger: clears the vectors of a changed text, in both slots: those of the old text would be wrong. They are made again later.
CREATE OR REPLACE FUNCTION engine.forget_meaning() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    NEW.embedding := NULL; NEW.embedding_version := NULL;
    NEW.embedding_b := NULL; NEW.embedding_b_version := NULL;
    RETURN NEW;
END $$;
