-- Copies rows of one table from a node to another by column name, because the column order differs between schemas. A log may
-- already hold some, from an earlier move.
CREATE OR REPLACE FUNCTION engine.copy_rows(p_table text, p_from text, p_to text, p_where text, p_ids uuid[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    names text := (SELECT string_agg(quote_ident(c.attname), ', ' ORDER BY c.attnum) FROM pg_attribute AS c
                   WHERE c.attrelid = format('template.%I', p_table)::regclass AND c.attnum > 0 AND NOT c.attisdropped);
BEGIN
    EXECUTE format('INSERT INTO %1$I.%2$I (%3$s) SELECT %3$s FROM %4$I.%2$I WHERE %5$s %6$s',
                   p_to, p_table, names, p_from, p_where, CASE p_table WHEN 'delta_log' THEN 'ON CONFLICT DO NOTHING' END) USING p_ids;
END $$;
