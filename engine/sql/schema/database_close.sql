-- Purpose: lets nobody but its owner make objects in this database, temporary ones neither. Identifier: database. Parameters: none.
-- Returns: nothing; changes nothing, with a warning, where the caller does not own the database.
REVOKE TEMPORARY, CREATE ON DATABASE {database} FROM PUBLIC;
REVOKE CREATE ON SCHEMA public FROM PUBLIC
