-- Rows that a foreign key leads to and that are gone, of each key of the shared tables by the catalog: only who turned the keys off can delete
-- them. `rows`: those that lead nowhere, counted up to p_most.
CREATE OR REPLACE FUNCTION engine.lost_references(p_most integer) RETURNS TABLE (place text, refers_to text, rows bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    leads record;
BEGIN
    FOR leads IN
        SELECT c.relname::text AS place, t.relname::text AS refers_to,
               string_agg(format('o.%I = f.%I', f.attname, a.attname), ' AND ' ORDER BY k.number) AS joined,
               string_agg(format('f.%I IS NOT NULL', a.attname), ' AND ' ORDER BY k.number) AS given
        FROM pg_constraint AS x JOIN pg_class AS c ON c.oid = x.conrelid JOIN pg_class AS t ON t.oid = x.confrelid
        CROSS JOIN LATERAL unnest(x.conkey, x.confkey) WITH ORDINALITY AS k (own, other, number)
        JOIN pg_attribute AS a ON a.attrelid = x.conrelid AND a.attnum = k.own
        JOIN pg_attribute AS f ON f.attrelid = x.confrelid AND f.attnum = k.other
        WHERE x.contype = 'f' AND x.connamespace = 'engine'::regnamespace AND t.relnamespace = 'engine'::regnamespace
        GROUP BY x.oid, c.relname, t.relname ORDER BY t.relname, c.relname
    LOOP
        place := leads.place; refers_to := leads.refers_to;
        EXECUTE format('SELECT count(*) FROM (SELECT FROM engine.%I AS f WHERE %s AND NOT EXISTS (SELECT FROM engine.%I AS o WHERE %s) LIMIT $1) AS lost',
                       leads.place, leads.given, leads.refers_to, leads.joined) INTO rows USING p_most;
        IF rows > 0 THEN
            RETURN NEXT;
        END IF;
    END LOOP;
END $$;
