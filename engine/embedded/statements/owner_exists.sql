-- Whether an interrupted preparation has already created the role.
-- Parameters: none. Returns: one row, a boolean.
SELECT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'neurigraph_owner')
