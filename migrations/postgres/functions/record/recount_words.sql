-- Counts the words of a node anew, from its rows.
CREATE OR REPLACE FUNCTION engine.recount_words(p_node uuid, p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM engine.gather_words(p_schema);
    DELETE FROM engine.term_counts AS t WHERE t.node_id = p_node;
    INSERT INTO engine.term_counts (user_id, term, node_id, unit, documents)
    SELECT n.user_id, c.term, n.node_id, c.unit, c.documents FROM engine.nodes AS n, engine.record_counts(p_schema, NULL) AS c
    WHERE n.node_id = p_node
    ON CONFLICT (user_id, term, node_id, unit) DO UPDATE SET documents = excluded.documents;  -- a record was stored meanwhile
END $$;
