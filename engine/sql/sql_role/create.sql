-- Purpose: makes a role that may log in and read the views of analysts, and nothing else. Its settings are defaults that a session may change: what protects is
-- that it owns nothing and may write nothing. For an administrator, in a transaction. Identifiers: role. Literal: password, as a verifier. Returns: nothing.
CREATE ROLE {role} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS CONNECTION LIMIT 5 PASSWORD {password};
GRANT neurigraph_analysts TO {role};
ALTER ROLE {role} SET default_transaction_read_only = on;
ALTER ROLE {role} SET statement_timeout = '60s';
ALTER ROLE {role} SET idle_in_transaction_session_timeout = '10min';
ALTER ROLE {role} SET search_path = analysis
