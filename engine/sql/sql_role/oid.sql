-- Purpose: the oid of a role. Parameters: role. Returns: role_oid.
SELECT r.oid::bigint AS role_oid FROM pg_catalog.pg_roles AS r WHERE r.rolname = %(role)s
