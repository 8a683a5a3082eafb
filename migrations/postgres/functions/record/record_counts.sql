-- Word counts of a record and its items at a node, as `words_of`; NULL for all records.
CREATE OR REPLACE FUNCTION engine.record_counts(p_schema text, p_record uuid) RETURNS TABLE (unit text, term integer, documents integer)
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT w.unit, w.term, w.documents FROM engine.words_of(p_schema, CASE WHEN p_record IS NOT NULL THEN ARRAY[p_record] END) AS w
$$;
