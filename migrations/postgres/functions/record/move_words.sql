-- Moves the words of a record from the counts of one node to those of another, in the order of schemas, as writers do.
CREATE OR REPLACE FUNCTION engine.move_words(p_record uuid, p_source text, p_target text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    place text;
    units text[];
    terms integer[];
    counts integer[];
BEGIN
    SELECT array_agg(c.unit ORDER BY c.unit, c.term), array_agg(c.term ORDER BY c.unit, c.term), array_agg(c.documents ORDER BY c.unit, c.term)
    INTO units, terms, counts FROM engine.record_counts(p_source, p_record) AS c;
    FOREACH place IN ARRAY ARRAY[least(p_source, p_target), greatest(p_source, p_target)] LOOP
        IF place = p_source THEN
            PERFORM engine.subtract_words(place, units, terms, counts);
        ELSE
            INSERT INTO engine.term_counts AS t (user_id, term, node_id, unit, documents)
            SELECT n.user_id, m.term, n.node_id, m.unit, m.documents
            FROM engine.nodes AS n CROSS JOIN unnest(units, terms, counts) AS m (unit, term, documents)
            WHERE n.schema_name = place ORDER BY m.unit, m.term
            ON CONFLICT ON CONSTRAINT term_counts_pkey DO UPDATE SET documents = t.documents + excluded.documents;
        END IF;
    END LOOP;
END $$;
