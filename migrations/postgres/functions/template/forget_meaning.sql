-- A changed text has no vectors until somebody writes them: those of its old words would be wrong, in either slot.
CREATE OR REPLACE FUNCTION engine.forget_meaning() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    NEW.embedding := NULL; NEW.embedding_version := NULL;
    NEW.embedding_b := NULL; NEW.embedding_b_version := NULL;
    RETURN NEW;
END $$;
