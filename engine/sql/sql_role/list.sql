-- Purpose: the roles of analysts. Parameters: none. Returns: role, handle, user_id (both null where it reads for no user), created_at, sessions (open ones).
SELECT p.rolname::text AS role, u.handle, s.user_id, s.created_at,
       (SELECT count(*) FROM pg_catalog.pg_stat_activity AS a WHERE a.usename = p.rolname) AS sessions
FROM pg_catalog.pg_auth_members AS m JOIN pg_catalog.pg_roles AS p ON p.oid = m.member
JOIN pg_catalog.pg_roles AS g ON g.oid = m.roleid AND g.rolname = 'neurigraph_analysts'
LEFT JOIN engine.sql_roles AS s ON s.role_oid = p.oid AND s.role_name = p.rolname LEFT JOIN engine.users AS u ON u.user_id = s.user_id
WHERE p.rolcanlogin ORDER BY p.rolname LIMIT 1000
