-- Takes away the copy of a user's entities and relations that SQL reads, where a commit may withdraw, rename or join some of them: the copy would still show
-- what is gone. The job `communities` makes it anew.
CREATE OR REPLACE FUNCTION engine.drop_copied() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF engine.may_withdraw(NEW.kinds, NEW.payload) THEN
        DELETE FROM engine.known_relations AS r WHERE r.user_id = NEW.user_id;
        DELETE FROM engine.known_entities AS e WHERE e.user_id = NEW.user_id;
    END IF;
    RETURN NULL;
END $$;
