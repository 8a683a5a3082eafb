-- What the doctor looks at inside of nodes, and the remedies that only Postgres can carry out. All for the service.

-- Damage that nothing can bring back and that the operator has accepted: the doctor tells of it no more. Nobody changes or deletes a line.
CREATE TABLE engine.accepted_damage (
    entry_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    accepted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    kind        text NOT NULL CHECK (char_length(kind) BETWEEN 1 AND 40),
    node_id     uuid NOT NULL,
    subject     text NOT NULL DEFAULT '',  -- a file, a source
    detail      text NOT NULL DEFAULT '' CHECK (char_length(detail) <= 1000)
);
CREATE INDEX accepted_damage_of_subject ON engine.accepted_damage (node_id, kind, subject);
ALTER TABLE engine.accepted_damage ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.accepted_damage FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.accepted_damage TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON engine.accepted_damage FOR EACH ROW EXECUTE FUNCTION engine.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON engine.accepted_damage FOR EACH STATEMENT EXECUTE FUNCTION engine.refuse_change();
