-- Purpose: gives the two roles in this database what each needs, and everybody else nothing. For an administrator.
-- Identifiers: database, service, request. Parameters: none. Returns: nothing.
REVOKE TEMPORARY, CREATE ON DATABASE {database} FROM PUBLIC;
REVOKE TEMPORARY, CREATE ON DATABASE {database} FROM {request};
GRANT CONNECT, CREATE, TEMPORARY ON DATABASE {database} TO {service};
GRANT CONNECT ON DATABASE {database} TO {request};
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
REVOKE CREATE ON SCHEMA public FROM {request};
GRANT USAGE, CREATE ON SCHEMA public TO {service};
GRANT USAGE ON SCHEMA public TO {request};
CREATE EXTENSION IF NOT EXISTS vector
