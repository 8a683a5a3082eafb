-- name: database_close
-- Purpose: allows only its owner to create objects in this database, also temporary ones. Identifier: database. Parameters: none.
-- Returns: nothing; changes nothing, with a warning, where the caller does not own the database.
REVOKE TEMPORARY, CREATE ON DATABASE {database} FROM PUBLIC;
REVOKE CREATE ON SCHEMA public FROM PUBLIC

-- name: database_prepare
-- Purpose: gives the two roles in this database what each needs, and everybody else nothing. For an administrator.
-- Identifiers: database, service, request. Parameters: none. Returns: nothing.
REVOKE TEMPORARY, CREATE ON DATABASE {database} FROM PUBLIC;
REVOKE TEMPORARY, CREATE ON DATABASE {database} FROM {request};
GRANT CONNECT, CREATE, TEMPORARY ON DATABASE {database} TO {service};
GRANT CONNECT ON DATABASE {database} TO {request};
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
REVOKE CREATE ON SCHEMA public FROM {request};
GRANT USAGE, CREATE ON SCHEMA public TO {service};
GRANT USAGE ON SCHEMA public TO {request};
CREATE EXTENSION IF NOT EXISTS vector

-- name: definitions
-- Purpose: all that these schemas are made of. Service only. Parameters: schemas. Returns: schema_name, kind, place, name, statement.
SELECT schema_name, kind, place, name, statement FROM engine.schema_definitions(%(schemas)s::text[])

-- name: dictionary
-- Purpose: the tables of the engine and of a node, with columns, for the data dictionary. Parameters: none.
-- Returns: place (schema.table), meaning, name, type, nullable, keys (primary, unique, or the table referred to), comment; in order.
SELECT format('%s.%s', n.nspname, c.relname) AS place, coalesce(obj_description(c.oid, 'pg_class'), '') AS meaning, a.attname::text AS name,
       format_type(a.atttypid, a.atttypmod) AS type, NOT a.attnotnull AS nullable,
       ARRAY(SELECT CASE k.contype WHEN 'p' THEN 'primary' WHEN 'u' THEN 'unique' ELSE '→ ' || k.confrelid::regclass END
             FROM pg_catalog.pg_constraint AS k
             WHERE k.conrelid = c.oid AND k.contype IN ('p', 'u', 'f') AND a.attnum = ANY (k.conkey)
             GROUP BY 1 ORDER BY min(array_position(ARRAY['p', 'u', 'f'], k.contype::text)), 1) AS keys,
       coalesce(col_description(c.oid, a.attnum), '') AS comment
FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind IN ('r', 'm') AND n.nspname IN ('engine', 'template')
ORDER BY n.nspname, c.relname, a.attnum

-- name: erasure_grant
-- Purpose: lets the role of erasures, where it is there, enter permits: the forgetting and the purpose alone, the table sets the rest. Parameters: none.
-- Returns: nothing.
DO $grant$
BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_roles AS r
               WHERE r.rolname = 'neurigraph_erasure'
                 AND NOT (pg_catalog.has_schema_privilege(r.oid, 'engine', 'USAGE')
                          AND pg_catalog.has_column_privilege(r.oid, 'engine.erasures', 'forgetting_id', 'INSERT')
                          AND pg_catalog.has_column_privilege(r.oid, 'engine.erasures', 'purpose', 'INSERT'))) THEN
        GRANT USAGE ON SCHEMA engine TO neurigraph_erasure;
        GRANT INSERT (forgetting_id, purpose) ON engine.erasures TO neurigraph_erasure;
    END IF;
END $grant$

-- name: erasure_prepare
-- Purpose: makes the role without a login and without members that alone may enter permits to erase, and its one function, anew; takes away what the role may
-- beyond that. For an administrator, in a transaction; one that is no superuser is a member of the role meanwhile. Literal: service. Returns: nothing.
DO $prepare$
DECLARE
    strong boolean := (SELECT r.rolsuper FROM pg_catalog.pg_roles AS r WHERE r.rolname = current_user);
    found pg_catalog.pg_roles;
    member record;
BEGIN
    SELECT * INTO found FROM pg_catalog.pg_roles WHERE rolname = 'neurigraph_erasure';
    IF found.rolname IS NULL THEN
        CREATE ROLE neurigraph_erasure NOLOGIN;
    END IF;
    IF found.rolcanlogin THEN
        ALTER ROLE neurigraph_erasure NOLOGIN PASSWORD NULL;
    END IF;
    IF found.rolsuper THEN
        ALTER ROLE neurigraph_erasure NOSUPERUSER;
    END IF;
    IF found.rolreplication THEN
        ALTER ROLE neurigraph_erasure NOREPLICATION;
    END IF;
    IF found.rolbypassrls THEN
        ALTER ROLE neurigraph_erasure NOBYPASSRLS;
    END IF;
    IF found.rolcreaterole OR found.rolcreatedb THEN
        ALTER ROLE neurigraph_erasure NOCREATEROLE NOCREATEDB;
    END IF;
    -- who made the role without being a superuser stays its administrator: the server gives that right, and it is no use of the role
    FOR member IN
        SELECT m.roleid::regrole AS role, m.member::regrole AS name, m.grantor::regrole AS grantor FROM pg_catalog.pg_auth_members AS m
        WHERE m.member = found.oid OR m.roleid = found.oid AND (m.inherit_option OR m.set_option OR m.member <> current_user::regrole)
    LOOP
        EXECUTE pg_catalog.format('REVOKE %s FROM %s GRANTED BY %s CASCADE', member.role, member.name, member.grantor);
    END LOOP;
    IF NOT strong THEN
        EXECUTE pg_catalog.format('GRANT neurigraph_erasure TO %I WITH INHERIT TRUE, SET TRUE', current_user);
    END IF;
    DROP SCHEMA IF EXISTS neurigraph_erasure CASCADE;
    CREATE SCHEMA neurigraph_erasure AUTHORIZATION neurigraph_erasure;
    CREATE FUNCTION neurigraph_erasure.permit(p_forgetting uuid, p_purpose text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $permit$
BEGIN
    INSERT INTO engine.erasures (forgetting_id, purpose) VALUES (p_forgetting, p_purpose);
END $permit$;
    COMMENT ON FUNCTION neurigraph_erasure.permit IS 'Gives this transaction a permit to erase what a forgetting takes from append-only tables, and logs it.';
    ALTER FUNCTION neurigraph_erasure.permit OWNER TO neurigraph_erasure;
    REVOKE ALL ON FUNCTION neurigraph_erasure.permit FROM PUBLIC;
    EXECUTE pg_catalog.format('GRANT USAGE ON SCHEMA neurigraph_erasure TO %1$I; GRANT EXECUTE ON FUNCTION neurigraph_erasure.permit TO %1$I', {service}::text);
    IF NOT strong THEN
        EXECUTE pg_catalog.format('REVOKE neurigraph_erasure FROM %1$I GRANTED BY %1$I', current_user);
    END IF;
END $prepare$

-- name: erasure_state
-- Purpose: the state of the role of erasures and of its function. Parameters: body (of the function).
-- Returns: one row: there (the role exists), strong (it may log in, or more than own its function), used (a role is a member of it, the service in any way), function_there
-- (it alone is in the schema, as `erasure_prepare` makes it, and the service alone may call it).
WITH erasure AS (SELECT * FROM pg_catalog.pg_roles WHERE rolname = 'neurigraph_erasure')
SELECT EXISTS (SELECT FROM erasure) AS there,
       EXISTS (SELECT FROM erasure AS r
               WHERE r.rolcanlogin OR r.rolsuper OR r.rolcreaterole OR r.rolcreatedb OR r.rolreplication OR r.rolbypassrls
                  OR EXISTS (SELECT FROM pg_catalog.pg_auth_members AS m WHERE m.member = r.oid)) AS strong,
       EXISTS (SELECT FROM erasure AS r
               WHERE pg_catalog.pg_has_role(r.oid, 'MEMBER')
                  OR EXISTS (SELECT FROM pg_catalog.pg_auth_members AS m WHERE m.roleid = r.oid AND (m.inherit_option OR m.set_option))) AS used,
       EXISTS (SELECT FROM erasure AS r JOIN pg_catalog.pg_namespace AS n ON n.nspname = 'neurigraph_erasure' AND n.nspowner = r.oid
               JOIN pg_catalog.pg_proc AS p ON p.pronamespace = n.oid
               WHERE p.oid::regprocedure::text = 'neurigraph_erasure.permit(uuid,text)' AND p.proowner = r.oid AND p.prosecdef AND p.prosrc = %(body)s
                 AND p.proconfig = ARRAY['search_path=pg_catalog, pg_temp']
                 AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_function_privilege(p.oid, 'EXECUTE')
                 AND NOT EXISTS (SELECT FROM pg_catalog.aclexplode(p.proacl) AS a WHERE a.grantee NOT IN (r.oid, (SELECT s.oid FROM pg_catalog.pg_roles AS s WHERE s.rolname = current_user)))
                 AND p.proacl IS NOT NULL
                 AND NOT EXISTS (SELECT FROM pg_catalog.pg_proc AS o WHERE o.pronamespace = n.oid AND o.oid <> p.oid)) AS function_there

-- name: function_applied
-- Purpose: notes that a text of a function was applied. Parameters: name, checksum. Returns: nothing.
INSERT INTO public.neurigraph_functions (name, checksum) VALUES (%(name)s, %(checksum)s)

-- name: function_bodies_later
-- Purpose: functions may name what a later migration makes; their bodies are looked at when they are called. To the end of the
-- transaction. Parameters: none. Returns: nothing.
SET LOCAL check_function_bodies = off

-- name: functions_applied
-- Purpose: the texts of functions that were applied. Parameters: none. Returns: name, checksums (the newest first).
SELECT name, array_agg(checksum ORDER BY applied DESC) AS checksums FROM public.neurigraph_functions GROUP BY name ORDER BY name LIMIT 10000

-- name: functions_guard
-- Purpose: takes every function of the engine from PUBLIC, and gives it a search path that names pg_temp last, so that none finds what
-- its caller made there. Parameters: none. Returns: nothing.
DO $$
BEGIN
    REVOKE ALL ON ALL FUNCTIONS IN SCHEMA engine FROM PUBLIC;
    PERFORM engine.pin_search_paths('engine', 'pg_catalog');
END $$

-- name: functions_table
-- Purpose: the table that knows which text of a function was applied, and in which order. Parameters: none. Returns: nothing.
CREATE TABLE IF NOT EXISTS public.neurigraph_functions (
    name       text NOT NULL,
    checksum   text NOT NULL,
    applied    bigint GENERATED ALWAYS AS IDENTITY,
    applied_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (name, checksum)
)

-- name: functions_there
-- Purpose: the functions of the engine as they are, and as their files made them in the temporary schema. Service only. Parameters: none.
-- Returns: name, definitions (as they are), made (as the files make them), called (the request role may call each), open (everybody may call one).
WITH found AS (
    SELECT p.proname::text AS name, p.pronamespace = 'engine'::regnamespace AS own, regexp_replace(pg_get_functiondef(p.oid), ' (engine|pg_temp)\.', ' ') AS definition,
           has_function_privilege('neurigraph_request', p.oid, 'EXECUTE') AS called,
           p.proacl IS NULL OR EXISTS (SELECT FROM aclexplode(p.proacl) AS a WHERE a.grantee = 0) AS open
    FROM pg_proc AS p WHERE p.pronamespace IN ('engine'::regnamespace, pg_my_temp_schema()) AND p.prokind IN ('f', 'p')
)
SELECT f.name, coalesce(array_agg(f.definition) FILTER (WHERE f.own), ARRAY[]::text[]) AS definitions, coalesce(array_agg(f.definition) FILTER (WHERE NOT f.own), ARRAY[]::text[]) AS made,
       coalesce(bool_and(f.called) FILTER (WHERE f.own), false) AS called, coalesce(bool_or(f.open) FILTER (WHERE f.own), false) AS open
FROM found AS f GROUP BY f.name ORDER BY f.name LIMIT 10000

-- name: migration_applied
-- Purpose: notes an applied migration. Parameters: version, name, checksum. Returns: nothing.
INSERT INTO public.neurigraph_migrations (version, name, checksum) VALUES (%(version)s, %(name)s, %(checksum)s)

-- name: migrations_applied
-- Purpose: what was applied. Parameters: none. Returns: version, checksum.
SELECT version, checksum FROM public.neurigraph_migrations ORDER BY version LIMIT 10000

-- name: migrations_limit
-- Purpose: the limit of time of each statement, to the end of the transaction. Parameters: limit (as `3600s`). Returns: one row, ignored.
SELECT set_config('statement_timeout', %(limit)s, true)

-- name: migrations_lock
-- Purpose: lets one process migrate at a time; held to the end of the transaction. Parameters: none. Returns: one row, ignored.
SELECT pg_advisory_xact_lock(hashtextextended('neurigraph migrations', 0))

-- name: migrations_table
-- Purpose: the table that knows what was applied. Parameters: none. Returns: nothing.
CREATE TABLE IF NOT EXISTS public.neurigraph_migrations (
    version    integer PRIMARY KEY,
    name       text NOT NULL,
    checksum   text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
)

-- name: ownership_schemas
-- Purpose: schemas of the engine that belong to another role than the service; a node's is known by its log of deltas. Parameters: service.
-- Returns: nspname; at most 100, the shared schema last.
SELECT n.nspname FROM pg_catalog.pg_namespace AS n
WHERE n.nspowner <> (SELECT r.oid FROM pg_catalog.pg_roles AS r WHERE r.rolname = %(service)s)
  AND (n.nspname IN ('engine', 'template', '_queue')
       OR EXISTS (SELECT FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_class AS m USING (relnamespace)
                  WHERE c.relnamespace = n.oid AND c.relname = 'delta_log' AND m.relname = 'metadata_records'))
ORDER BY n.nspname = 'engine', n.nspname LIMIT 100

-- name: ownership_take
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

-- name: ping
-- Purpose: a sign of life. Parameters: none. Returns: one row.
SELECT 1 AS alive

-- name: preparation_end
-- Purpose: gives back what preparation_try took. Parameters: none. Returns: one row, ignored.
SELECT pg_advisory_unlock(hashtextextended('neurigraph preparation', 0))

-- name: preparation_try
-- Purpose: tries to be the one process that prepares this database; held until it is given back or the connection ends.
-- Parameters: none. Returns: taken.
SELECT pg_try_advisory_lock(hashtextextended('neurigraph preparation', 0)) AS taken

-- name: role_prepare
-- Purpose: makes a role that may log in and nothing else, or takes away what it may beyond that; and sets its password. For an administrator.
-- Literals: role, password. Returns: nothing.
DO $prepare$
DECLARE
    named text := {role};
    found pg_catalog.pg_roles;
BEGIN
    SELECT * INTO found FROM pg_catalog.pg_roles WHERE rolname = named;
    IF found.rolname IS NULL THEN
        EXECUTE pg_catalog.format('CREATE ROLE %I', named);
    END IF;
    -- one by one: an administrator that is no superuser may not name what only a superuser may change
    IF found.rolsuper THEN
        EXECUTE pg_catalog.format('ALTER ROLE %I NOSUPERUSER', named);
    END IF;
    IF found.rolreplication THEN
        EXECUTE pg_catalog.format('ALTER ROLE %I NOREPLICATION', named);
    END IF;
    IF found.rolbypassrls THEN
        EXECUTE pg_catalog.format('ALTER ROLE %I NOBYPASSRLS', named);
    END IF;
    IF found.rolcreaterole OR found.rolcreatedb THEN
        EXECUTE pg_catalog.format('ALTER ROLE %I NOCREATEROLE NOCREATEDB', named);
    END IF;
    EXECUTE pg_catalog.format('ALTER ROLE %I LOGIN PASSWORD %L', named, {password}::text);
END $prepare$

-- name: roles_state
-- Purpose: the state and the rights of the two roles, and the rights of PUBLIC in this database, for the check at the start of the engine.
-- Parameters: none. Returns: one row: service (the current role), strong (it, or a role that it is a member of, may do more than own schemas), owner (of
-- the engine's schema, where that is another), creates (it may create schemas), request_there, request_barred (it may not log in), request_strong,
-- request_creates, open (any role may make objects), vector_there.
WITH service AS (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = current_user),
     request AS (SELECT * FROM pg_catalog.pg_roles WHERE rolname = 'neurigraph_request')
SELECT current_user::text AS service,
       EXISTS (SELECT FROM pg_catalog.pg_roles AS r
               WHERE pg_catalog.pg_has_role(r.oid, 'MEMBER')
                 AND (r.rolsuper OR r.rolcreaterole OR r.rolcreatedb OR r.rolreplication
                      OR r.rolname IN ('pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files'))) AS strong,
       (SELECT pg_catalog.pg_get_userbyid(n.nspowner)::text FROM pg_catalog.pg_namespace AS n
        WHERE n.nspname = 'engine' AND n.nspowner <> (SELECT oid FROM service)) AS owner,
       pg_catalog.has_database_privilege(current_database(), 'CREATE') AS creates,
       EXISTS (SELECT FROM request) AS request_there,
       EXISTS (SELECT FROM request AS r WHERE NOT r.rolcanlogin) AS request_barred,
       EXISTS (SELECT FROM request AS r
               WHERE r.rolsuper OR r.rolcreaterole OR r.rolcreatedb OR r.rolreplication OR r.rolbypassrls
                  OR EXISTS (SELECT FROM pg_catalog.pg_auth_members AS m WHERE m.member = r.oid)) AS request_strong,
       EXISTS (SELECT FROM request AS r
               WHERE pg_catalog.has_database_privilege(r.oid, current_database(), 'TEMPORARY')
                  OR pg_catalog.has_database_privilege(r.oid, current_database(), 'CREATE')
                  OR pg_catalog.has_schema_privilege(r.oid, 'public', 'CREATE')) AS request_creates,
       EXISTS (SELECT FROM pg_catalog.pg_database AS d,
                           pg_catalog.aclexplode(coalesce(d.datacl, pg_catalog.acldefault('d', d.datdba))) AS a
               WHERE d.datname = current_database() AND a.grantee = 0 AND a.privilege_type IN ('TEMPORARY', 'CREATE'))
       OR EXISTS (SELECT FROM pg_catalog.pg_namespace AS n,
                              pg_catalog.aclexplode(coalesce(n.nspacl, pg_catalog.acldefault('n', n.nspowner))) AS a
                  WHERE n.nspname = 'public' AND a.grantee = 0 AND a.privilege_type = 'CREATE') AS open,
       EXISTS (SELECT FROM pg_catalog.pg_extension AS e WHERE e.extname = 'vector') AS vector_there

-- name: sequences_behind
-- Purpose: columns whose sequence would give a number again; with `mend` they go on after the largest. Service only. Parameters: mend.
-- Returns: place, name.
SELECT place, name FROM engine.sequences_behind(%(mend)s)

-- name: template_tables
-- Purpose: keeps the columns and constraints of the template as text, for `engine.create_node_schema`: one CREATE TABLE with all of them costs
-- a third less than LIKE, which adds each constraint by itself. Made again after migrations, which alone change the template.
-- Parameters: none. Returns: nothing.
DO $$
BEGIN
    DROP MATERIALIZED VIEW IF EXISTS engine.template_tables;
    CREATE MATERIALIZED VIEW engine.template_tables AS
    SELECT c.relname::text AS name, string_agg(p.definition, ', ' ORDER BY p.place, p.definition) AS definition
    FROM pg_class AS c CROSS JOIN LATERAL (
        SELECT a.attnum AS place, concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
               CASE WHEN a.attstorage <> t.typstorage THEN
                   'STORAGE ' || CASE a.attstorage WHEN 'p' THEN 'PLAIN' WHEN 'e' THEN 'EXTERNAL' WHEN 'm' THEN 'MAIN' ELSE 'EXTENDED' END END,
               CASE WHEN a.attnotnull THEN 'NOT NULL' END, 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid)) AS definition
        FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid
        LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        UNION ALL
        SELECT 10000, format('CONSTRAINT %I %s', k.conname, pg_get_constraintdef(k.oid)) FROM pg_constraint AS k
        WHERE k.conrelid = c.oid AND k.contype IN ('c', 'p', 'u')) AS p
    WHERE c.relnamespace = 'template'::regnamespace AND c.relkind = 'r'
    GROUP BY c.relname;
    COMMENT ON MATERIALIZED VIEW engine.template_tables IS 'The columns and constraints of the node tables as text, from which new nodes are made.';
    COMMENT ON COLUMN engine.template_tables.name IS 'the table';
    COMMENT ON COLUMN engine.template_tables.definition IS 'its columns and constraints';
END $$

-- name: versions
-- Purpose: the versions of this server and of its pgvector: the one of the database, else the one that would be installed. Parameters: none.
-- Returns: postgres, vector (null: there is none).
SELECT current_setting('server_version') AS postgres,
       coalesce((SELECT e.extversion FROM pg_catalog.pg_extension AS e WHERE e.extname = 'vector'),
                (SELECT a.default_version FROM pg_catalog.pg_available_extensions AS a WHERE a.name = 'vector')) AS vector
