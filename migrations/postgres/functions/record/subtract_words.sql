-- Takes documents out of the word counts of a node, locked in the order in which writers lock them.
CREATE OR REPLACE FUNCTION engine.subtract_words(p_schema text, p_units text[], p_terms integer[], p_counts integer[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    node engine.nodes := (SELECT n FROM engine.nodes AS n WHERE n.schema_name = p_schema);
BEGIN
    PERFORM engine.gather_words(p_schema);
    PERFORM FROM engine.term_counts AS t JOIN unnest(p_units, p_terms) AS m (unit, term) USING (unit, term)
    WHERE t.user_id = node.user_id AND t.node_id = node.node_id ORDER BY t.unit, t.term FOR UPDATE OF t;
    UPDATE engine.term_counts AS t SET documents = greatest(0, t.documents - m.documents)
    FROM unnest(p_units, p_terms, p_counts) AS m (unit, term, documents)
    WHERE t.user_id = node.user_id AND t.node_id = node.node_id AND t.unit = m.unit AND t.term = m.term;
END $$;
