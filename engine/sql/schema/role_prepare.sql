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
