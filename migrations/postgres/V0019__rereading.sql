-- Reading stored records again: where turns stand in their transcripts, records that no model has read, replays of a user.

-- Of a conversation's raw resource: its turns with their places in the transcript (see engine/domain/layout.py). None where it is no
-- conversation, or was stored before.
ALTER TABLE engine.raw_resources ADD COLUMN layout jsonb;

-- Records that a configured model was to read and has not, because it was silent, gave no usable answer, or a limit was reached; and
-- new versions of documents, which are written without it. A job reads them. Looked at by the service alone.
CREATE TABLE engine.unread_records (
    record_id    uuid PRIMARY KEY,
    user_id      uuid NOT NULL REFERENCES engine.users,
    node_id      uuid NOT NULL,  -- where it lay then
    reason       text NOT NULL CHECK (char_length(reason) <= 600),
    noted_at     timestamptz NOT NULL,
    attempts     integer NOT NULL DEFAULT 0,
    next_attempt timestamptz NOT NULL
);
CREATE INDEX unread_records_due ON engine.unread_records (next_attempt);
ALTER TABLE engine.unread_records ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.unread_records FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.unread_records TO CURRENT_USER USING (true) WITH CHECK (true);

-- What no model could read in the end is in the failure log, too.
ALTER TABLE engine.failure_log DROP CONSTRAINT failure_log_stage_check,
    ADD CONSTRAINT failure_log_stage_check CHECK (stage IN ('read', 'draft', 'commit', 'reading', 'ingest', 'job'));

-- Replays ----------------------------------------------------------------------------------------------------------------

-- A replay makes every record of a user again, beside what is there: nothing that is staged is seen by any other read. It goes through
-- the records in the order of node and record; `after_…` says how far it is. At most one of a user is open.
CREATE TABLE engine.replays (
    replay_id    uuid PRIMARY KEY,
    user_id      uuid NOT NULL REFERENCES engine.users,
    state        text NOT NULL DEFAULT 'building' CHECK (state IN ('building', 'built', 'swapped', 'discarded')),
    began_at     timestamptz NOT NULL,
    ended_at     timestamptz,
    after_node   uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    after_record uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    total        bigint NOT NULL,
    outcome      jsonb,  -- the comparison as it was in the end
    CHECK ((state IN ('swapped', 'discarded')) = (ended_at IS NOT NULL)),
    CHECK ((ended_at IS NULL) = (outcome IS NULL))
);
CREATE UNIQUE INDEX replays_open ON engine.replays (user_id) WHERE ended_at IS NULL;
CREATE INDEX replays_of_user ON engine.replays (user_id, began_at, replay_id);
CREATE INDEX replays_building ON engine.replays (replay_id) WHERE state = 'building';
ALTER TABLE engine.replays ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.replays FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.replays TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.replays TO neurigraph_request
    USING (user_id = (SELECT engine.principal_user())) WITH CHECK (user_id = (SELECT engine.principal_user()));
GRANT SELECT, INSERT, UPDATE ON engine.replays TO neurigraph_request;

-- What a replay makes of one record: how it differs from the record at `revision` (null: not at all), and the vectors of what is new
-- (one after the other, single precision), made with `embeddings`.
CREATE TABLE engine.replayed_records (
    replay_id  uuid NOT NULL REFERENCES engine.replays,
    record_id  uuid NOT NULL,
    user_id    uuid NOT NULL,
    node_id    uuid NOT NULL,
    revision   integer NOT NULL,
    kept       integer NOT NULL,
    added      integer NOT NULL,
    ended      integer NOT NULL,
    summary    boolean NOT NULL,  -- whether it changes
    keywords   boolean NOT NULL,
    missing    boolean NOT NULL,  -- whether a model's answers are not all kept
    plan       jsonb,
    vectors    bytea,
    embeddings text,
    PRIMARY KEY (replay_id, record_id),
    CHECK ((vectors IS NULL) = (embeddings IS NULL))
);
CREATE INDEX replayed_records_by_place ON engine.replayed_records (replay_id, node_id, record_id) WHERE plan IS NOT NULL;
ALTER TABLE engine.replayed_records ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.replayed_records FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.replayed_records TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.replayed_records TO neurigraph_request
    USING (user_id = (SELECT engine.principal_user())) WITH CHECK (user_id = (SELECT engine.principal_user()));
GRANT SELECT, INSERT, UPDATE, DELETE ON engine.replayed_records TO neurigraph_request;
