-- Rows that a foreign key leads to and that are gone, of each key of the shared tables by the catalog: only who turned the keys off can delete
-- them. Keys have up to three columns; of a shorter one the first stands in each place. `rows`: those that lead nowhere, counted up to p_most.
CREATE OR REPLACE FUNCTION engine.lost_references(p_most integer) RETURNS TABLE (place text, refers_to text, rows bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    leads record;
BEGIN
    FOR leads IN
        SELECT c.relname::text AS place, t.relname::text AS refers_to,
               array_agg(a.attname::text ORDER BY k.number) AS own, array_agg(f.attname::text ORDER BY k.number) AS other
        FROM pg_constraint AS x JOIN pg_class AS c ON c.oid = x.conrelid JOIN pg_class AS t ON t.oid = x.confrelid
        CROSS JOIN LATERAL unnest(x.conkey, x.confkey) WITH ORDINALITY AS k (own, other, number)
        JOIN pg_attribute AS a ON a.attrelid = x.conrelid AND a.attnum = k.own
        JOIN pg_attribute AS f ON f.attrelid = x.confrelid AND f.attnum = k.other
        WHERE x.contype = 'f' AND x.connamespace = 'engine'::regnamespace AND t.relnamespace = 'engine'::regnamespace
        GROUP BY x.oid, c.relname, t.relname ORDER BY t.relname, c.relname
    LOOP
        place := leads.place; refers_to := leads.refers_to;
        EXECUTE format('SELECT count(*) FROM (SELECT FROM engine.%1$I AS f WHERE f.%3$I IS NOT NULL AND f.%4$I IS NOT NULL AND f.%5$I IS NOT NULL'
                       ' AND NOT EXISTS (SELECT FROM engine.%2$I AS o WHERE o.%6$I = f.%3$I AND o.%7$I = f.%4$I AND o.%8$I = f.%5$I) LIMIT $1) AS lost',
                       leads.place, leads.refers_to, leads.own[1], coalesce(leads.own[2], leads.own[1]), coalesce(leads.own[3], leads.own[1]),
                       leads.other[1], coalesce(leads.other[2], leads.other[1]), coalesce(leads.other[3], leads.other[1])) INTO rows USING p_most;
        IF rows > 0 THEN
            RETURN NEXT;
        END IF;
    END LOOP;
END $$;
