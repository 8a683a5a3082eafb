-- Facts of these records, and these facts, with all that stands in their chains, that they ended, confirm or are in doubt with, what confirms one of
-- these, and what ended when it was said again; with the schemas of their nodes. For the user of the graph, nothing for anyone else. p_hold:
-- waits until no other transaction decides about one of the subjects or entities, and keeps them until the own end.
CREATE OR REPLACE FUNCTION engine.facts_around(p_records uuid[], p_facts uuid[], p_hold boolean) RETURNS TABLE (fact engine.facts, schema_name text, doubts jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    owner uuid := engine.principal_user();
    given uuid[];
    confirmed uuid[];
    paired uuid[];
    chains uuid[];
    held bigint;
BEGIN
    IF p_hold THEN
        FOR held IN SELECT DISTINCT h FROM engine.facts AS f, unnest(ARRAY[f.subject, f.entity]) AS h
                    WHERE f.user_id = owner AND (f.record_id = ANY (p_records) OR f.fact_id = ANY (p_facts)) AND h IS NOT NULL ORDER BY 1 LOOP
            PERFORM pg_advisory_xact_lock(hashtextextended(format('neurigraph facts %s %s', owner, held), 0));
        END LOOP;
    END IF;
    SELECT array_agg(f.fact_id) INTO given FROM engine.facts AS f
    WHERE f.user_id = owner AND (f.record_id = ANY (p_records) OR f.fact_id = ANY (p_facts));
    SELECT array_agg(f.confirms) INTO confirmed FROM engine.facts AS f WHERE f.fact_id = ANY (given) AND f.confirms IS NOT NULL;
    SELECT array_agg(p) INTO paired FROM engine.fact_doubts AS d, unnest(ARRAY[d.newer, d.older]) AS p WHERE d.newer = ANY (given) OR d.older = ANY (given);
    SELECT array_agg(DISTINCT f.chain_id) INTO chains FROM engine.facts AS f
    WHERE f.user_id = owner AND (f.fact_id = ANY (given) OR f.ended_by = ANY (given) OR f.confirms = ANY (given) OR f.fact_id = ANY (paired)
                                 OR f.fact_id = ANY (confirmed) OR f.ended_by = ANY (confirmed));
    SELECT array_agg(DISTINCT f.chain_id) INTO chains FROM engine.facts AS f
    WHERE f.user_id = owner AND (f.chain_id = ANY (chains)
                                 OR f.fact_id IN (SELECT o.ended_by FROM engine.facts AS o WHERE o.chain_id = ANY (chains)));
    RETURN QUERY
        SELECT f, n.schema_name, engine.doubts_of(f.fact_id) FROM engine.facts AS f JOIN engine.nodes AS n ON n.node_id = f.node_id
        WHERE f.user_id = owner AND f.chain_id = ANY (chains);
END $$;
GRANT EXECUTE ON FUNCTION engine.facts_around TO neurigraph_request;
