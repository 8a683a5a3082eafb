-- In how many documents of these nodes the terms occur, per unit; term 0 counts the documents. All units are named, so the
-- primary key finds the terms.
CREATE OR REPLACE FUNCTION engine.search_counts(p_schemas text[], p_terms integer[])
RETURNS TABLE (unit text, term integer, documents integer)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    node_schema text;
    units text[] := ARRAY['turn', 'passage', 'record', 'private turn', 'private passage', 'private record',
                          'private scoped turn', 'private scoped passage', 'private scoped record'];
BEGIN
    FOREACH node_schema IN ARRAY coalesce(p_schemas, '{}') LOOP
        CONTINUE WHEN pg_relation_size(format('%I.term_counts', node_schema)::regclass) = 0;
        RETURN QUERY EXECUTE format('SELECT unit, term, documents FROM %I.term_counts WHERE unit = ANY ($2) AND term = ANY ($1)',
                                    node_schema) USING p_terms, units;
    END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION engine.search_counts TO neurigraph_request;
