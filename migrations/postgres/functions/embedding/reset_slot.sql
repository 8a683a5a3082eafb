-- Empties a slot of a table by dropping its columns and adding them again: no row is rewritten, whatever their number. With the vectors of
-- items go their tokens.
CREATE OR REPLACE FUNCTION engine.reset_slot(p_schema text, p_table text, p_slot text, p_type text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    vectors text := CASE p_slot WHEN 'a' THEN 'embedding' ELSE 'embedding_b' END;
    tokens text := CASE p_slot WHEN 'a' THEN 'tokens' ELSE 'tokens_b' END;
BEGIN
    EXECUTE format('ALTER TABLE %1$I.%2$I DROP COLUMN %3$I, DROP COLUMN %4$I', p_schema, p_table, vectors, vectors || '_version');
    EXECUTE format('ALTER TABLE %1$I.%2$I ADD COLUMN %3$I %5$s, ADD COLUMN %4$I text,'
                   ' ADD CONSTRAINT %6$I CHECK ((%3$I IS NULL) = (%4$I IS NULL)) NOT VALID',
                   p_schema, p_table, vectors, vectors || '_version', p_type, p_table || '_slot_' || p_slot);
    IF EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = format('%I.%I', p_schema, p_table)::regclass AND a.attname = tokens) THEN
        EXECUTE format('ALTER TABLE %1$I.%2$I DROP COLUMN %3$I', p_schema, p_table, tokens);
        EXECUTE format('ALTER TABLE %1$I.%2$I ADD COLUMN %3$I bytea', p_schema, p_table, tokens);
        EXECUTE format('ALTER TABLE %1$I.%2$I ALTER COLUMN %3$I SET STORAGE EXTERNAL', p_schema, p_table, tokens);
    END IF;
END $$;
