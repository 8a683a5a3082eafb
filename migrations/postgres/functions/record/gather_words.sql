-- Moves the word counts of a node from a table of its own, of before version 10 of the template, to the one that all nodes share.
CREATE OR REPLACE FUNCTION engine.gather_words(p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF to_regclass(format('%I.term_counts', p_schema)) IS NULL THEN
        RETURN;
    END IF;
    EXECUTE format('LOCK TABLE %I.term_counts IN ACCESS EXCLUSIVE MODE', p_schema);
    EXECUTE format('INSERT INTO engine.term_counts AS t (user_id, term, node_id, unit, documents)'
                   ' SELECT n.user_id, c.term, n.node_id, c.unit, c.documents FROM engine.nodes AS n CROSS JOIN %1$I.term_counts AS c'
                   ' WHERE n.schema_name = $1 ORDER BY c.unit, c.term ON CONFLICT (user_id, term, node_id, unit) DO UPDATE SET documents = t.documents + excluded.documents',
                   p_schema) USING p_schema;
    EXECUTE format('DROP TABLE %I.term_counts', p_schema);
END $$;
