-- Trigger: clears what was made from a changed text of an item: vectors and tokens in both slots, and the entities that it named. Vectors and
-- tokens are made again later, and so are the entities, by the job that reads the record again.
CREATE OR REPLACE FUNCTION engine.forget_item_meaning() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    NEW.embedding := NULL; NEW.embedding_version := NULL; NEW.tokens := NULL;
    NEW.embedding_b := NULL; NEW.embedding_b_version := NULL; NEW.tokens_b := NULL;
    NEW.entities := '{}'; NEW.about := '{}';
    RETURN NEW;
END $$;
