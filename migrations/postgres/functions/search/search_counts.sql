-- In how many documents of these nodes of a user the terms occur, per unit; term 0 counts the documents. Nodes with tables older than
-- version 10 may have a table of their own, of which all units are named, so that its primary key finds the terms.
CREATE OR REPLACE FUNCTION engine.search_counts(p_user uuid, p_nodes uuid[], p_schemas text[], p_templates integer[], p_terms integer[])
RETURNS TABLE (unit text, term integer, documents integer)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    node_schema text;
    units text[] := ARRAY['turn', 'passage', 'record', 'private turn', 'private passage', 'private record',
                          'private scoped turn', 'private scoped passage', 'private scoped record'];
BEGIN
    RETURN QUERY SELECT c.unit, c.term, least(sum(c.documents), 2147483647)::integer FROM engine.term_counts AS c
                 WHERE c.user_id = p_user AND c.term = ANY (p_terms) AND c.node_id = ANY (p_nodes) GROUP BY c.unit, c.term;
    IF 10 > ANY (p_templates) THEN
        FOR node_schema IN SELECT o.name FROM unnest(p_schemas, p_templates) AS o (name, template) WHERE o.template < 10 LOOP
            CONTINUE WHEN to_regclass(format('%I.term_counts', node_schema)) IS NULL;
            BEGIN
                RETURN QUERY EXECUTE format('SELECT unit, term, documents FROM %I.term_counts WHERE unit = ANY ($2) AND term = ANY ($1)',
                                            node_schema) USING p_terms, units;
            EXCEPTION WHEN undefined_table THEN  -- an upgrade moved it just now: this search weighs words without the node
                NULL;
            END;
        END LOOP;
    END IF;
END $$;
GRANT EXECUTE ON FUNCTION engine.search_counts TO neurigraph_request;
