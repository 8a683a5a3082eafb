-- Purpose: what an administrator finds before a role is made, dropped or given new views. Parameters: role.
-- Returns: one row: strong (the administrator is a superuser), there (a role of this name exists), analyst (it is one of ours), prepared (the
-- engine's tables know roles of analysts), views (the mark of the views that are there).
SELECT (SELECT r.rolsuper FROM pg_catalog.pg_roles AS r WHERE r.rolname = current_user) AS strong,
       EXISTS (SELECT FROM pg_catalog.pg_roles AS r WHERE r.rolname = %(role)s) AS there,
       EXISTS (SELECT FROM pg_catalog.pg_auth_members AS m JOIN pg_catalog.pg_roles AS r ON r.oid = m.member JOIN pg_catalog.pg_roles AS g ON g.oid = m.roleid
               WHERE r.rolname = %(role)s AND g.rolname = 'neurigraph_analysts' AND r.rolcanlogin) AS analyst,
       EXISTS (SELECT FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
               WHERE n.nspname = 'engine' AND c.relname = 'sql_roles') AS prepared,
       (SELECT obj_description(n.oid, 'pg_namespace') FROM pg_catalog.pg_namespace AS n WHERE n.nspname = 'analysis') AS views
