-- Purpose: hands schemas with all that is in them to the service: an earlier installation worked under an administrator's role. The tables of
-- migrations and functions go with the shared schema. For an administrator. Literals: service, schemas (array of text). Returns: nothing.
DO $take$
DECLARE
    part record;
    new_owner text := {service};
    places oid[] := ARRAY(SELECT n.oid FROM pg_catalog.pg_namespace AS n WHERE n.nspname = ANY ({schemas}::text[]));
BEGIN
    FOR part IN
        SELECT pg_catalog.format('ALTER TABLE %s OWNER TO %I', c.oid::regclass, new_owner) AS statement
        FROM pg_catalog.pg_class AS c
        WHERE (c.relnamespace = ANY (places) AND c.relkind IN ('r', 'p', 'v', 'm')
               OR c.oid IN (to_regclass('public.neurigraph_migrations'), to_regclass('public.neurigraph_functions'))
                  AND to_regnamespace('engine')::oid = ANY (places))
        UNION ALL
        SELECT pg_catalog.format('ALTER ROUTINE %s OWNER TO %I', p.oid::regprocedure, new_owner)
        FROM pg_catalog.pg_proc AS p WHERE p.pronamespace = ANY (places)
        UNION ALL
        SELECT pg_catalog.format('ALTER TYPE %s OWNER TO %I', t.oid::regtype, new_owner)
        FROM pg_catalog.pg_type AS t LEFT JOIN pg_catalog.pg_class AS c ON c.oid = t.typrelid
        WHERE t.typnamespace = ANY (places) AND (t.typtype IN ('e', 'd') OR c.relkind = 'c')
        UNION ALL
        SELECT pg_catalog.format('ALTER POLICY service ON %s TO %I', l.polrelid::regclass, new_owner)
        FROM pg_catalog.pg_policy AS l JOIN pg_catalog.pg_class AS c ON c.oid = l.polrelid
        WHERE c.relnamespace = ANY (places) AND l.polname = 'service'
        UNION ALL
        SELECT pg_catalog.format('ALTER SCHEMA %I OWNER TO %I', n.nspname, new_owner)
        FROM pg_catalog.pg_namespace AS n WHERE n.oid = ANY (places)
    LOOP
        EXECUTE part.statement;
    END LOOP;
END $take$
