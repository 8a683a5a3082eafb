-- Of these facts, those in an undecided pair with another live fact that the principal may read, with that one's text: `older` is the one that may be
-- replaced, or says the opposite of `newer`. In no order. Under the policies of the principal.
CREATE OR REPLACE FUNCTION engine.facts_in_doubt(p_facts uuid[]) RETURNS TABLE (newer uuid, older uuid, kind text, newer_text text, older_text text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pairs engine.fact_doubts[] := ARRAY(
        SELECT d FROM engine.fact_doubts AS d WHERE d.decision IS NULL AND d.newer = ANY (p_facts)
        UNION SELECT d FROM engine.fact_doubts AS d WHERE d.decision IS NULL AND d.older = ANY (p_facts));
BEGIN
    IF cardinality(pairs) > 0 THEN
        RETURN QUERY
            WITH texts AS MATERIALIZED (SELECT * FROM engine.facts_read(ARRAY(SELECT unnest(ARRAY[p.newer, p.older]) FROM unnest(pairs) AS p)))
            SELECT p.newer, p.older, p.kind, n.text, o.text
            FROM unnest(pairs) AS p JOIN texts AS n ON n.fact_id = p.newer JOIN texts AS o ON o.fact_id = p.older;
    END IF;
END $$;
GRANT EXECUTE ON FUNCTION engine.facts_in_doubt TO neurigraph_request;
