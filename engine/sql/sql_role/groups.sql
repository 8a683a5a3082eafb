-- Purpose: makes the two roles without a login that analysts need: neurigraph_views owns their views and has the rights of the request role, neurigraph_analysts may
-- read the views and is what the roles of analysts are members of. For an administrator. Identifier: database. Parameters: none. Returns: nothing.
DO $groups$
DECLARE
    group_name text;
BEGIN
    FOREACH group_name IN ARRAY '{{neurigraph_views,neurigraph_analysts}}'::text[] LOOP
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = group_name) THEN
            EXECUTE pg_catalog.format('CREATE ROLE %I NOLOGIN', group_name);
        END IF;
    END LOOP;
    GRANT neurigraph_request TO neurigraph_views;
    IF NOT (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) THEN
        EXECUTE pg_catalog.format('GRANT neurigraph_views TO %I WITH INHERIT FALSE, SET TRUE', current_user);
    END IF;
END $groups$;
GRANT CONNECT ON DATABASE {database} TO neurigraph_analysts
