-- Whom the roles of analysts read for (docs/sql.md). The database alone knows it, by the role that a session was opened by: no setting names the principal.
-- The oid beside the name: a role that an administrator drops and makes again under this name reads nothing.
CREATE TABLE engine.sql_roles (
    role_name  text PRIMARY KEY CHECK (octet_length(role_name) BETWEEN 1 AND 63),
    role_oid   oid NOT NULL,
    user_id    uuid NOT NULL REFERENCES engine.users ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sql_roles_user ON engine.sql_roles (user_id);
ALTER TABLE engine.sql_roles ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.sql_roles FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.sql_roles TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.sql_roles FOR SELECT TO neurigraph_request USING (role_name = session_user);
GRANT SELECT ON engine.sql_roles TO neurigraph_request;
