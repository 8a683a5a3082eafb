-- What is left of a change of the graph without some ids, which are the keys of an object: of a list the elements that name none of them; NULL where nothing is left.
CREATE OR REPLACE FUNCTION engine.change_without(p_change jsonb, p_ids jsonb) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    part text := (SELECT k.name FROM jsonb_object_keys(p_change) AS k (name) WHERE k.name <> 'kind' LIMIT 1);
    rest jsonb;
BEGIN
    IF part IS NULL OR NOT engine.names_one(p_change::text, p_ids) THEN
        RETURN p_change;
    ELSIF jsonb_typeof(p_change -> part) <> 'array' THEN
        RETURN NULL;
    END IF;
    SELECT jsonb_agg(e.one ORDER BY e.number) INTO rest FROM jsonb_array_elements(p_change -> part) WITH ORDINALITY AS e (one, number)
    WHERE NOT engine.names_one(e.one::text, p_ids);
    RETURN CASE WHEN rest IS NOT NULL THEN jsonb_set(p_change, ARRAY[part], rest) END;
END $$;
