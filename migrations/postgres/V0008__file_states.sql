-- The life of files: dormant, rehydrating, active. The object that was written with a file is the file, and no transition
-- touches it. To be awake is to have a restored copy beside it (files stored as they are need none) and a row here; to
-- fall asleep is to lose both, the row first. So whatever dies when, the file can be read.
--
--   dormant      no row
--   rehydrating  a row with a claim: its holder restores until claimed_until, and may prolong that. When the time is over
--                whoever comes next takes the file over under a claim of its own
--   active       a row; the copy lies under the row's claim, so no two restorations write or delete the same copy
--
-- Every transition is one function call: it moves the row here, the state in the node's manifest, the log and the state of
-- the node in one transaction. Locks are taken in this order: file, node.

-- Files that are not dormant. Looked at by the service and by the functions below only.
CREATE TABLE engine.awake_files (
    node_id       uuid NOT NULL REFERENCES engine.nodes,
    file_id       uuid NOT NULL,
    user_id       uuid NOT NULL REFERENCES engine.users,
    state         text NOT NULL CHECK (state IN ('rehydrating', 'active')),
    since         timestamptz NOT NULL,
    accessed_at   timestamptz NOT NULL,
    woken_by      text NOT NULL CHECK (woken_by IN ('retrieval', 'manual', 'recovery')),
    by_hand       boolean NOT NULL,  -- stays awake until put to sleep, or not used for long
    due_at        timestamptz,       -- when the time after a retrieval is over
    claim_id      uuid NOT NULL UNIQUE,
    claimed_until timestamptz,
    attempt       integer NOT NULL DEFAULT 1,
    PRIMARY KEY (node_id, file_id),
    CHECK ((state = 'rehydrating') = (claimed_until IS NOT NULL)),
    CHECK ((due_at IS NOT NULL) = (state = 'active' AND NOT by_hand))
);
CREATE INDEX awake_due ON engine.awake_files (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX awake_by_hand ON engine.awake_files (accessed_at) WHERE by_hand AND state = 'active';
CREATE INDEX awake_claimed ON engine.awake_files (node_id) WHERE state = 'rehydrating';
ALTER TABLE engine.awake_files ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.awake_files FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.awake_files TO CURRENT_USER USING (true) WITH CHECK (true);

-- Every transition with its cause, and every review of one that went wrong. Nobody changes or deletes a line.
CREATE TABLE engine.compression_state_log (
    entry_id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    occurred_at  timestamptz NOT NULL,  -- by the engine's clock
    recorded_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    user_id      uuid NOT NULL,
    node_id      uuid NOT NULL,
    file_id      uuid NOT NULL,
    from_state   text NOT NULL CHECK (from_state IN ('active', 'dormant', 'rehydrating')),
    to_state     text NOT NULL CHECK (to_state IN ('active', 'dormant', 'rehydrating')),
    trigger      text NOT NULL CHECK (trigger IN ('retrieval', 'ttl', 'dormancy', 'manual', 'recovery', 'error', 'review')),
    actor_kind   text NOT NULL,
    actor_id     uuid,
    claim_id     uuid,  -- of which restoration; entries of one restoration share it
    detail       text NOT NULL DEFAULT '' CHECK (char_length(detail) <= 500),
    needs_review boolean NOT NULL DEFAULT false,
    reviews      bigint UNIQUE REFERENCES engine.compression_state_log,
    CHECK ((trigger = 'review') = (reviews IS NOT NULL)),
    CHECK (NOT (needs_review AND trigger = 'review'))
);
CREATE INDEX state_log_of_user ON engine.compression_state_log (user_id, entry_id);
CREATE INDEX state_log_of_file ON engine.compression_state_log (node_id, file_id, entry_id);
CREATE INDEX state_log_to_review ON engine.compression_state_log (user_id, entry_id) WHERE needs_review;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON engine.compression_state_log
    FOR EACH ROW EXECUTE FUNCTION engine.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON engine.compression_state_log
    FOR EACH STATEMENT EXECUTE FUNCTION engine.refuse_change();
ALTER TABLE engine.compression_state_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.compression_state_log FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.compression_state_log TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.compression_state_log FOR SELECT TO neurigraph_request
    USING (user_id = (SELECT engine.principal_user()));
GRANT SELECT ON engine.compression_state_log TO neurigraph_request;

-- The state of a node as it follows from its files, and how far the graph has been told. `seq` is the last entry of the
-- log about the node, taken under the lock of this row: a greater one is always the later state.
CREATE TABLE engine.node_states (
    node_id    uuid PRIMARY KEY REFERENCES engine.nodes,
    state      text NOT NULL CHECK (state IN ('active', 'dormant', 'rehydrating')),
    seq        bigint NOT NULL,
    told_seq   bigint NOT NULL DEFAULT -1,
    changed_at timestamptz NOT NULL
);
CREATE INDEX node_states_untold ON engine.node_states (node_id) WHERE told_seq < seq;
ALTER TABLE engine.node_states ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.node_states FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.node_states TO CURRENT_USER USING (true) WITH CHECK (true);

-- Until now opening a file only wrote `active` into its manifest, and nothing put it back. No copy was made, so all sleep.
DROP FUNCTION IF EXISTS engine.file_opened;
DO $$
DECLARE
    n record;
BEGIN
    FOR n IN SELECT * FROM engine.nodes WHERE state = 'live' LOOP
        EXECUTE format('WITH moved AS (UPDATE %1$I.file_manifest SET compression_state = ''dormant'', recompress_after = NULL'
                       ' WHERE compression_state <> ''dormant'' RETURNING file_id)'
                       ' INSERT INTO engine.compression_state_log (occurred_at, user_id, node_id, file_id, from_state, to_state, trigger,'
                       ' actor_kind, detail) SELECT now(), $1, $2, file_id, ''active'', ''dormant'', ''recovery'', ''service'','
                       ' ''files are restored into copies from now on'' FROM moved', n.schema_name) USING n.user_id, n.node_id;
        EXECUTE format('INSERT INTO engine.node_states (node_id, state, seq, changed_at) SELECT $1, ''dormant'', 0, now()'
                       ' WHERE EXISTS (SELECT FROM %I.file_manifest)', n.schema_name) USING n.node_id;
    END LOOP;
END $$;
