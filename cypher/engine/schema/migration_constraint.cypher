// Purpose: one node a migration. Parameters: none. Returns: nothing.
CREATE CONSTRAINT migration_version IF NOT EXISTS FOR (m:Migration) REQUIRE m.version IS UNIQUE
