-- The engine's database, owned by its role. Runs outside a transaction.
-- Parameters: none. Returns: nothing.
CREATE DATABASE neurigraph OWNER neurigraph_owner
