-- What is derived from what is stored, at the version that the engine makes; a note of what is due names one of these.
CREATE TABLE engine.derivations (
    name      text PRIMARY KEY CHECK (name ~ '^[a-z][a-z-]{0,39}$'),
    version   integer NOT NULL CHECK (version > 0),
    raised_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
ALTER TABLE engine.derivations ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.derivations FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.derivations TO CURRENT_USER USING (true) WITH CHECK (true);
COMMENT ON TABLE engine.derivations IS 'What is derived from what is stored, and the version of the code that makes it.';
COMMENT ON COLUMN engine.derivations.name IS 'what is made';
COMMENT ON COLUMN engine.derivations.version IS 'the version of what makes it; when it rises all nodes are noted';
COMMENT ON COLUMN engine.derivations.raised_at IS 'since when it has this version';
INSERT INTO engine.derivations (name, version)
SELECT d.name, 1 FROM unnest(ARRAY['vectors', 'tokens', 'stems', 'names', 'chains', 'reading']) AS d (name);

ALTER TABLE engine.due DROP CONSTRAINT due_derivation_check, ADD FOREIGN KEY (derivation) REFERENCES engine.derivations (name);
ALTER TABLE engine.due ADD COLUMN noted integer NOT NULL DEFAULT 1;
COMMENT ON COLUMN engine.due.derivation IS 'what is to be made';
COMMENT ON COLUMN engine.due.since IS 'since when, also where it was noted again';
COMMENT ON COLUMN engine.due.noted IS 'how often it was noted since then';
