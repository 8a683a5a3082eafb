-- The role that owns the engine's database: may create schemas, no roles and no databases, and is no superuser.
-- Placeholder: password, a literal. Returns: nothing.
CREATE ROLE neurigraph_owner LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD {password}
