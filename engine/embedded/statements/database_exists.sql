-- Whether an interrupted preparation has already created the database.
-- Parameters: none. Returns: one row, a boolean.
SELECT EXISTS (SELECT FROM pg_catalog.pg_database WHERE datname = 'neurigraph')
