-- Trigger: a hold begins in force and stays as it was set; it is released once. What it named goes then. It is deleted with its user alone, by the permit of that forgetting.
-- None is set on what is being erased.
CREATE OR REPLACE FUNCTION engine.keep_hold() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM engine.hold_writes_alone(NEW.user_id);
        IF NEW.released_at IS NOT NULL OR NEW.subject_hash <> engine.tombstone('hold ' || NEW.kind, NEW.user_id, NEW.subject) THEN
            RAISE EXCEPTION 'A hold begins in force.' USING ERRCODE = 'insufficient_privilege';
        ELSIF EXISTS (SELECT FROM engine.forgettings AS f WHERE f.user_id = NEW.user_id AND f.state IN ('running', 'settling')
                        AND (f.kind NOT IN ('record', 'document', 'source', 'conversation', 'item', 'retention')
                             OR EXISTS (SELECT FROM engine.forgetting_things AS t WHERE t.forgetting_id = f.forgetting_id
                                          AND CASE t.kind WHEN 'source' THEN NEW.kind = 'source' AND t.thing = NEW.subject
                                                          WHEN 'place' THEN NEW.kind = 'record' AND starts_with(t.thing, NEW.subject) END))) THEN
            RAISE EXCEPTION 'It is being forgotten.' USING ERRCODE = 'NG409';
        END IF;
        RETURN NEW;
    ELSIF TG_OP = 'DELETE' THEN
        IF OLD.released_at IS NOT NULL AND engine.may_erase(TG_TABLE_SCHEMA, TG_TABLE_NAME, to_jsonb(OLD), NULL) THEN
            RETURN OLD;
        END IF;
        RAISE EXCEPTION 'A hold is released, not deleted.' USING ERRCODE = 'insufficient_privilege';
    ELSIF OLD.released_at IS NOT NULL OR NEW.released_at IS NULL
          OR to_jsonb(NEW) - '{subject,released_at,released_by,release_reason}'::text[] <> to_jsonb(OLD) - '{subject,released_at,released_by,release_reason}'::text[] THEN
        RAISE EXCEPTION 'A hold stays as it was set, and is released once.' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;
