-- Adds the triggers that clear what was made from a changed text.
CREATE OR REPLACE FUNCTION engine.guard_meaning(p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('CREATE OR REPLACE TRIGGER forget_meaning BEFORE UPDATE ON %I.memory_items FOR EACH ROW'
                   ' WHEN (OLD.content IS DISTINCT FROM NEW.content) EXECUTE FUNCTION engine.forget_item_meaning()', p_schema);
    EXECUTE format('CREATE OR REPLACE TRIGGER forget_meaning BEFORE UPDATE ON %I.metadata_records FOR EACH ROW'
                   ' WHEN (OLD.summary IS DISTINCT FROM NEW.summary) EXECUTE FUNCTION engine.forget_meaning()', p_schema);
END $$;
