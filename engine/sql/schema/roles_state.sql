-- Purpose: the state and the rights of the two roles, and the rights of PUBLIC in this database, for the check at the start of the engine.
-- Parameters: none. Returns: one row: service (the current role), strong (it, or a role that it is a member of, may do more than own schemas), owner (of
-- the engine's schema, where that is another), creates (it may create schemas), request_there, request_strong, request_creates, open (any role
-- may make objects), vector_there.
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
