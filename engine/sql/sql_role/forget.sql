-- Purpose: a role reads for no user any longer, from the next statement on. Parameters: role. Returns: nothing.
DELETE FROM engine.sql_roles WHERE role_name = %(role)s
