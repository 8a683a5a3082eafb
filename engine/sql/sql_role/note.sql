-- Purpose: notes whom a role reads for, in place of what was noted of a role of this name before. Parameters: role, role_oid, user_id. Returns: nothing.
INSERT INTO engine.sql_roles (role_name, role_oid, user_id) VALUES (%(role)s, %(role_oid)s::bigint::oid, %(user_id)s)
ON CONFLICT (role_name) DO UPDATE SET role_oid = excluded.role_oid, user_id = excluded.user_id, created_at = now()
