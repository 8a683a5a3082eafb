-- Damage is told as damage; a commit that cannot be finished is set aside instead of holding up all others.

-- Damaged nodes ------------------------------------------------------------------------------------------------------

-- Nodes that were found damaged when something failed there, for readiness; the doctor strikes off those that are whole again.
CREATE TABLE engine.damage (
    node_id  uuid PRIMARY KEY REFERENCES engine.nodes ON DELETE CASCADE,
    reason   text NOT NULL CHECK (char_length(reason) <= 500),
    noted_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
ALTER TABLE engine.damage ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.damage FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.damage TO CURRENT_USER USING (true) WITH CHECK (true);

-- Commits that are set aside -----------------------------------------------------------------------------------------

-- set_aside: the graph refused it so often that it waits for a person, who has it tried again or discards it.
-- discarded: undone, or given up where what it changed stays; it is never tried again.
ALTER TABLE engine.outbox DROP CONSTRAINT outbox_state_check,
    ADD CONSTRAINT outbox_state_check CHECK (state IN ('pending', 'done', 'set_aside', 'discarded')),
    ADD COLUMN retry_at timestamptz NOT NULL DEFAULT '-infinity';
CREATE INDEX outbox_set_aside ON engine.outbox (created_at) WHERE state = 'set_aside';

-- What became of such commits, by whom and why. Nobody changes or deletes a line.
CREATE TABLE engine.commit_log (
    entry_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    occurred_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    event       text NOT NULL CHECK (event IN ('set_aside', 'retried', 'discarded')),
    commit_id   uuid NOT NULL,
    user_id     uuid NOT NULL,  -- may be a user who was discarded
    kind        text NOT NULL,
    actor       text NOT NULL,
    detail      text NOT NULL DEFAULT ''
);
CREATE INDEX commit_log_of_commit ON engine.commit_log (commit_id, entry_id);
ALTER TABLE engine.commit_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.commit_log FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.commit_log TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON engine.commit_log FOR EACH ROW EXECUTE FUNCTION engine.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON engine.commit_log FOR EACH STATEMENT EXECUTE FUNCTION engine.refuse_change();

-- How far a source was stored before its last commit, so that discarding that commit takes it back there. NULL: not known.
ALTER TABLE engine.sources ADD COLUMN units_before integer CHECK (units_before >= 0), ADD COLUMN hash_before bytea,
    ADD COLUMN commit_before uuid;
