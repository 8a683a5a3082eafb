-- Purpose: ends a role of an analyst with its sessions. For an administrator, outside a transaction. Identifier: role; literal: name. Returns: nothing.
DO $end$
BEGIN
    ALTER ROLE {role} NOLOGIN;
    IF NOT (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) THEN
        EXECUTE pg_catalog.format('GRANT %I TO %I', {name}, current_user);
    END IF;
    PERFORM pg_catalog.pg_terminate_backend(a.pid) FROM pg_catalog.pg_stat_activity AS a WHERE a.usename = {name};
    DROP OWNED BY {role};
    DROP ROLE {role};
END $end$
