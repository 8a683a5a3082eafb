-- The vector types; only a superuser may create the extension. Runs in the engine's database.
-- Parameters: none. Returns: nothing.
CREATE EXTENSION IF NOT EXISTS vector
