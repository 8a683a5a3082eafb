-- Takes documents out of the word counts of a node, locked in the order in which writers lock them.
CREATE OR REPLACE FUNCTION engine.subtract_words(p_schema text, p_units text[], p_terms integer[], p_counts integer[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    locked bigint;
BEGIN
    EXECUTE format('SELECT count(*) FROM (SELECT FROM %I.term_counts AS t JOIN unnest($1, $2) AS m (unit, term) USING (unit, term)'
                   ' ORDER BY t.unit, t.term FOR UPDATE OF t) AS locked', p_schema) INTO locked USING p_units, p_terms;
    EXECUTE format('UPDATE %I.term_counts AS t SET documents = greatest(0, t.documents - m.documents)'
                   ' FROM unnest($1, $2, $3) AS m (unit, term, documents) WHERE t.unit = m.unit AND t.term = m.term', p_schema)
    USING p_units, p_terms, p_counts;
END $$;
