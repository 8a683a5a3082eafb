-- Copies the rows of one table that have one of these ids in p_column from a node to another, by column name, because the column order differs
-- between schemas. A log may already hold some, from an earlier move.
CREATE OR REPLACE FUNCTION engine.copy_rows(p_table text, p_from text, p_to text, p_column text, p_ids uuid[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    names text := (SELECT string_agg(quote_ident(c.attname), ', ' ORDER BY c.attnum) FROM pg_attribute AS c
                   WHERE c.attrelid = format('template.%I', p_table)::regclass AND c.attnum > 0 AND NOT c.attisdropped);
BEGIN
    IF p_table = 'delta_log' THEN
        EXECUTE format('INSERT INTO %1$I.%2$I (%3$s) SELECT %3$s FROM %4$I.%2$I WHERE %5$I = ANY ($1) ON CONFLICT DO NOTHING',
                       p_to, p_table, names, p_from, p_column) USING p_ids;
    ELSE
        EXECUTE format('INSERT INTO %1$I.%2$I (%3$s) SELECT %3$s FROM %4$I.%2$I WHERE %5$I = ANY ($1)', p_to, p_table, names, p_from, p_column) USING p_ids;
    END IF;
END $$;
