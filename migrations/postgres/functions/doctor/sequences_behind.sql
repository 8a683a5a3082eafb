-- Sequences whose next number is in their column already, as a bad restore leaves them: each new row is refused then. `p_mend`: they go on after the
-- largest number, while nobody writes to the table. Returns the columns.
CREATE OR REPLACE FUNCTION engine.sequences_behind(p_mend boolean) RETURNS TABLE (place text, name text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '5s' AS $$
#variable_conflict use_column
DECLARE
    counted record;
    largest bigint;
BEGIN
    FOR counted IN SELECT s.oid::regclass AS sequence, t.oid::regclass AS owner, a.attname AS column_name, q.seqstart AS first, t.relname AS own, h.nspname AS home
                   FROM pg_depend AS d JOIN pg_class AS s ON s.oid = d.objid AND s.relkind = 'S' JOIN pg_sequence AS q ON q.seqrelid = s.oid
                   JOIN pg_class AS t ON t.oid = d.refobjid JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid
                   JOIN pg_namespace AS h ON h.oid = t.relnamespace
                   WHERE d.deptype IN ('a', 'i') AND d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass
                     AND (h.nspname IN ('engine', '_queue') OR t.oid = to_regclass('public.neurigraph_functions'))
                   ORDER BY 2, 3
    LOOP
        EXECUTE format('SELECT max(%I) FROM %I.%I', counted.column_name, counted.home, counted.own) INTO largest;
        CONTINUE WHEN coalesce(largest, counted.first - 1) <= coalesce(pg_sequence_last_value(counted.sequence), counted.first - 1);
        IF p_mend THEN
            EXECUTE format('LOCK TABLE %I.%I IN SHARE ROW EXCLUSIVE MODE', counted.home, counted.own);
            EXECUTE format('SELECT setval($1, max(%I)) FROM %I.%I', counted.column_name, counted.home, counted.own) USING counted.sequence;
        END IF;
        place := counted.owner::text; name := counted.column_name;
        RETURN NEXT;
    END LOOP;
END $$;
