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
            EXECUTE format('INSERT INTO %I.term_counts AS t (unit, term, documents) SELECT m.* FROM unnest($1, $2, $3) AS m (unit, term, documents)'
                           ' ORDER BY m.unit, m.term ON CONFLICT (unit, term) DO UPDATE SET documents = t.documents + excluded.documents', place)
            USING units, terms, counts;
        END IF;
    END LOOP;
END $$;
