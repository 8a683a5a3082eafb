-- Handles of users and names of integrations that look alike: no two of one workspace have the same normal form. It is
-- made by the engine (engine/domain/look_alikes.py); rows of before get theirs when the engine starts.

ALTER TABLE engine.users ADD COLUMN handle_key text CHECK (char_length(handle_key) BETWEEN 1 AND 500);
CREATE UNIQUE INDEX users_look_alike ON engine.users (workspace_id, handle_key);
CREATE INDEX users_without_key ON engine.users (created_at, user_id) WHERE handle_key IS NULL;
ALTER TABLE engine.integrations ADD COLUMN name_key text CHECK (char_length(name_key) BETWEEN 1 AND 500);
CREATE UNIQUE INDEX integrations_look_alike ON engine.integrations (workspace_id, name_key);
CREATE INDEX integrations_without_key ON engine.integrations (created_at, integration_id) WHERE name_key IS NULL;

-- Registers a user with the root node, or finds the one with this handle. Where the handle looks like another user's,
-- nothing is made, and taken_by is that one's. Called by the service only.
DROP FUNCTION IF EXISTS engine.provision_user(uuid, text, text, text, text, text[], jsonb);

-- An application that users may grant nodes to. Repeating it changes nothing; where the name looks like another's,
-- nothing is made, and taken_by is that one's.
DROP FUNCTION IF EXISTS engine.create_integration(uuid, text, text);
