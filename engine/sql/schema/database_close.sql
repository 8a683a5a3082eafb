-- Purpose: allows only its owner to create objects in this database, also temporary ones. Identifier: database. Parameters: none.
-- Returns: nothing; changes nothing, with a warning, where the caller does not own the database.
REVOKE TEMPORARY, CREATE ON DATABASE {database} FROM PUBLIC;
REVOKE CREATE ON SCHEMA public FROM PUBLIC
