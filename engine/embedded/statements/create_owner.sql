-- The role that owns the engine's database: may create roles and schemas, is no superuser.
-- Placeholder: password, a literal. Returns: nothing.
CREATE ROLE neurigraph_owner LOGIN NOSUPERUSER NOCREATEDB CREATEROLE PASSWORD {password}
