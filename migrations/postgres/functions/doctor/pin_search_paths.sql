-- Gives every function of a schema a search path that names pg_temp last: objects that the caller made there are never found.
CREATE OR REPLACE FUNCTION engine.pin_search_paths(p_schema text, p_path text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    f record;
BEGIN
    FOR f IN SELECT p.oid::regprocedure AS name, coalesce(nullif(substr(c.setting, 13), '""'), p_path) AS path
             FROM pg_proc AS p
             LEFT JOIN LATERAL (SELECT s AS setting FROM unnest(p.proconfig) AS s WHERE starts_with(s, 'search_path=')) AS c ON true
             WHERE p.pronamespace = p_schema::regnamespace AND p.prokind IN ('f', 'p')
    LOOP
        CONTINUE WHEN f.path LIKE '%, pg_temp' AND f.path NOT LIKE '%pg_temp%, pg_temp';
        EXECUTE format('ALTER ROUTINE %s SET search_path = %s, pg_temp', f.name, f.path);
    END LOOP;
END $$;
