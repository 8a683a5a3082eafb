-- Answers of language models, kept so that the same question is never paid twice; and facts that hold a whole input.
--
-- A record that no model has read holds its whole input as one fact of the category "whole". It stands beside the turns or
-- chunks of the same text, so a search looks at it only where facts are asked for by name, it is not counted among the items
-- of a node, and its words are not counted either.

CREATE TABLE engine.model_answers (
    user_id       uuid NOT NULL REFERENCES engine.users,
    key           bytea NOT NULL CHECK (octet_length(key) = 32),
    model         text NOT NULL CHECK (char_length(model) BETWEEN 1 AND 300),
    prompt        text NOT NULL CHECK (char_length(prompt) BETWEEN 1 AND 200),
    answer        jsonb NOT NULL,
    input_tokens  integer NOT NULL CHECK (input_tokens >= 0),
    output_tokens integer NOT NULL CHECK (output_tokens >= 0),
    created_at    timestamptz NOT NULL,
    PRIMARY KEY (user_id, key)
);
ALTER TABLE engine.model_answers ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.model_answers FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.model_answers TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.model_answers TO neurigraph_request
    USING (user_id = (SELECT engine.principal_user())) WITH CHECK (user_id = (SELECT engine.principal_user()));
GRANT SELECT, INSERT ON engine.model_answers TO neurigraph_request;
