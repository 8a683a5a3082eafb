-- Empties a slot of a table by dropping its columns and adding them again: no row is rewritten, whatever their number.
CREATE OR REPLACE FUNCTION engine.reset_slot(p_schema text, p_table text, p_slot text, p_type text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    vectors text := CASE p_slot WHEN 'a' THEN 'embedding' ELSE 'embedding_b' END;
BEGIN
    EXECUTE format('ALTER TABLE %1$I.%2$I DROP COLUMN %3$I, DROP COLUMN %4$I', p_schema, p_table, vectors, vectors || '_version');
    EXECUTE format('ALTER TABLE %1$I.%2$I ADD COLUMN %3$I %5$s, ADD COLUMN %4$I text,'
                   ' ADD CONSTRAINT %6$I CHECK ((%3$I IS NULL) = (%4$I IS NULL)) NOT VALID',
                   p_schema, p_table, vectors, vectors || '_version', p_type, p_table || '_slot_' || p_slot);
END $$;
