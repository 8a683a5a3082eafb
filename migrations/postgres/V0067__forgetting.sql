-- What forgetting stands on: what was asked for, what belongs to it, what is known to be forgotten, and the permits of transactions that erase.
-- The service alone reads these tables. What may become of a row is held by keys, conditions and triggers, for the service, too.

-- Something that somebody asked to forget. A row is never deleted: it says that something was forgotten, when and by whom; once it is done, not what.
CREATE TABLE engine.forgettings (
    forgetting_id uuid PRIMARY KEY,
    number        bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    user_id       uuid,
    user_hash     bytea NOT NULL CHECK (octet_length(user_hash) = 32),
    kind          text NOT NULL CHECK (kind IN ('record', 'document', 'source', 'conversation', 'item', 'entity', 'node', 'user', 'workspace')),
    subject       text NOT NULL CHECK (char_length(subject) <= 2000),
    subject_hash  bytea NOT NULL CHECK (octet_length(subject_hash) = 32),
    options       jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(options) = 'object'),
    reason        text NOT NULL DEFAULT '' CHECK (char_length(reason) <= 500),
    authored_by   text NOT NULL CHECK (char_length(authored_by) <= 200),
    state         text NOT NULL DEFAULT 'planned' CHECK (state IN ('planned', 'running', 'settling', 'done', 'left', 'failed')),
    step          text NOT NULL DEFAULT '' CHECK (char_length(step) <= 40),
    after         jsonb,
    asked_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    began_at      timestamptz,
    settles_at    timestamptz,
    ended_at      timestamptz,
    failure       text NOT NULL DEFAULT '' CHECK (char_length(failure) <= 500),
    counts        jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(counts) = 'object'),
    receipt       jsonb,
    CHECK (state IN ('planned', 'failed') OR began_at IS NOT NULL),
    CHECK (state NOT IN ('settling', 'done', 'left') OR settles_at IS NOT NULL),
    CHECK ((ended_at IS NOT NULL) = (state IN ('done', 'left', 'failed'))),
    CHECK ((failure <> '') = (state = 'failed')),
    CHECK (subject = '' OR state <> 'done'),
    CHECK (subject <> '' OR ended_at IS NOT NULL),
    CHECK (after IS NULL OR state <> 'done'),
    CHECK (user_id IS NOT NULL OR kind = 'workspace' OR ended_at IS NOT NULL),
    CHECK (receipt IS NULL OR state IN ('done', 'left') AND jsonb_typeof(receipt) = 'object')
);
-- The same call goes on with one that is not over.
CREATE UNIQUE INDEX forgettings_open ON engine.forgettings (subject_hash) WHERE state IN ('planned', 'running', 'settling');
CREATE INDEX forgettings_of_user ON engine.forgettings (user_id, number);

-- Ids and keys of what a forgetting takes with it; the ids themselves are gone before it is done.
CREATE TABLE engine.forgetting_things (
    forgetting_id uuid NOT NULL REFERENCES engine.forgettings,
    kind          text NOT NULL CHECK (char_length(kind) BETWEEN 1 AND 40),
    hash          bytea NOT NULL CHECK (octet_length(hash) = 32),
    thing         text,
    PRIMARY KEY (forgetting_id, kind, hash)
);

-- Objects that a forgetting deletes: their keys are written with the deletion of the rows that name them.
CREATE TABLE engine.forgetting_objects (
    forgetting_id uuid NOT NULL REFERENCES engine.forgettings,
    object_key    text NOT NULL CHECK (object_key <> ''),
    sha256        bytea CHECK (octet_length(sha256) = 32),
    gone          boolean NOT NULL DEFAULT false,
    PRIMARY KEY (forgetting_id, object_key)
);

-- What was forgotten, by keyed hashes: what comes again is known by its own, and nobody reads from one what it was.
CREATE TABLE engine.forgotten (
    hash          bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
    kind          text NOT NULL CHECK (kind IN ('source', 'key', 'session', 'event', 'record', 'fact', 'name', 'file', 'user')),
    user_hash     bytea NOT NULL CHECK (octet_length(user_hash) = 32),
    forgetting_id uuid NOT NULL REFERENCES engine.forgettings,
    forgotten_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX forgotten_by ON engine.forgotten (forgetting_id);

-- The permits: a transaction that has a line here may erase what belongs to its forgetting from append-only tables, and no other may. Nothing of a line is chosen
-- by who enters it but the forgetting and the purpose. The time is that of the transaction: a server that was restored from a dump gives its numbers again.
CREATE TABLE engine.erasures (
    erasure_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    forgetting_id uuid NOT NULL REFERENCES engine.forgettings,
    xid           xid8 NOT NULL DEFAULT pg_current_xact_id(),
    opened_at     timestamptz NOT NULL DEFAULT transaction_timestamp(),
    by_role       text NOT NULL DEFAULT session_user,
    purpose       text NOT NULL CHECK (purpose ~ '^[a-z][a-z_]{0,39}$'),
    UNIQUE (xid, opened_at)
);
CREATE INDEX erasures_of ON engine.erasures (forgetting_id);

-- The key of all hashes above. Whoever has it, and a dump, can test guesses; without it the hashes say nothing.
CREATE TABLE engine.forgetting_key (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    key      bytea NOT NULL CHECK (octet_length(key) = 32)
);
INSERT INTO engine.forgetting_key (key)  -- 366 random bits: two bytes of each id are not
SELECT sha256(string_agg(uuid_send(gen_random_uuid()), ''::bytea)) FROM generate_series(1, 3);

-- Uses functions: template/refuse_change, forgetting/keep_forgetting, forgetting/permit_running
CREATE TRIGGER keep_forgetting BEFORE UPDATE OR DELETE ON engine.forgettings FOR EACH ROW EXECUTE FUNCTION engine.keep_forgetting();
CREATE TRIGGER keep_forgetting_whole BEFORE TRUNCATE ON engine.forgettings FOR EACH STATEMENT EXECUTE FUNCTION engine.refuse_change();
CREATE TRIGGER only_again BEFORE UPDATE ON engine.forgotten FOR EACH ROW EXECUTE FUNCTION engine.refuse_change();
CREATE TRIGGER only_again_whole BEFORE TRUNCATE ON engine.forgotten FOR EACH STATEMENT EXECUTE FUNCTION engine.refuse_change();
CREATE TRIGGER permit_running BEFORE INSERT ON engine.erasures FOR EACH ROW EXECUTE FUNCTION engine.permit_running();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON engine.erasures FOR EACH ROW EXECUTE FUNCTION engine.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON engine.erasures FOR EACH STATEMENT EXECUTE FUNCTION engine.refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON engine.forgetting_key FOR EACH ROW EXECUTE FUNCTION engine.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON engine.forgetting_key FOR EACH STATEMENT EXECUTE FUNCTION engine.refuse_change();

DO $$
DECLARE
    place text;
BEGIN
    FOREACH place IN ARRAY ARRAY['forgettings', 'forgetting_things', 'forgetting_objects', 'forgotten', 'erasures', 'forgetting_key'] LOOP
        EXECUTE format('ALTER TABLE engine.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', place);
        EXECUTE format('CREATE POLICY service ON engine.%I %s TO CURRENT_USER USING (true) %s', place,
                       CASE WHEN place IN ('erasures', 'forgetting_key') THEN 'FOR SELECT' ELSE 'FOR ALL' END,
                       CASE WHEN place IN ('erasures', 'forgetting_key') THEN '' ELSE 'WITH CHECK (true)' END);
    END LOOP;
END $$;
-- The role may be missing here: `neurigraph prepare` makes it, on managed stores perhaps later.
CREATE POLICY permit ON engine.erasures FOR INSERT TO PUBLIC
    WITH CHECK (current_user = 'neurigraph_erasure' AND xid = pg_current_xact_id() AND opened_at = transaction_timestamp() AND by_role = session_user);

ALTER TABLE engine.access_log DROP CONSTRAINT access_log_event_check,
    ADD CONSTRAINT access_log_event_check CHECK (event IN ('granted', 'revoked', 'refused', 'token_created', 'token_revoked', 'forgotten'));
-- What a kept answer was asked for. Answers of before name nothing.
ALTER TABLE engine.model_answers ADD COLUMN records uuid[] NOT NULL DEFAULT '{}', ADD COLUMN source bytea CHECK (octet_length(source) = 32);
CREATE INDEX model_answers_of_records ON engine.model_answers USING gin (records);
ALTER TABLE engine.idempotency ADD COLUMN forgotten boolean NOT NULL DEFAULT false, ADD CONSTRAINT idempotency_forgotten CHECK (NOT forgotten OR answer IS NULL);
ALTER TABLE engine.users ADD COLUMN forgotten_at timestamptz;

DO $$
DECLARE
    c record;
BEGIN
    FOR c IN SELECT * FROM (VALUES
        ('forgettings', NULL, 'What was asked to be forgotten, how far it is and how it ended. A row stays, what it was about does not. Only the service reads it.'),
        ('forgettings', 'forgetting_id', 'the id'),
        ('forgettings', 'number', 'its number, as users see it'),
        ('forgettings', 'user_id', 'whose memory; empty for a workspace, and once the user is forgotten'),
        ('forgettings', 'user_hash', 'the tombstone of the user'),
        ('forgettings', 'kind', 'what was named: record, document, source, conversation, item, entity, node, user or workspace'),
        ('forgettings', 'subject', 'what was named, by its id; empty once it is done'),
        ('forgettings', 'subject_hash', 'the tombstone of what was named, with its kind and its user'),
        ('forgettings', 'options', 'how it was asked for'),
        ('forgettings', 'reason', 'why, in words of who asked'),
        ('forgettings', 'authored_by', 'who asked'),
        ('forgettings', 'state', 'planned, running, settling (nothing is shown any more; late writers are waited for), done, left (something was found that should be gone), failed'),
        ('forgettings', 'step', 'the step that it is at'),
        ('forgettings', 'after', 'how far that step is; empty once it is done'),
        ('forgettings', 'asked_at', 'when it was asked for'),
        ('forgettings', 'began_at', 'when its first step began'),
        ('forgettings', 'settles_at', 'until when late writers are waited for'),
        ('forgettings', 'ended_at', 'when it ended'),
        ('forgettings', 'failure', 'why it failed'),
        ('forgettings', 'counts', 'what was erased: how much, by store and place'),
        ('forgettings', 'receipt', 'the signed receipt'),
        ('forgetting_things', NULL, 'Ids of what a forgetting takes with it, until it is done. Only the service reads it.'),
        ('forgetting_things', 'forgetting_id', 'the forgetting'),
        ('forgetting_things', 'kind', 'what kind of thing it is'),
        ('forgetting_things', 'hash', 'its tombstone'),
        ('forgetting_things', 'thing', 'its id; empty once nothing is looked for by it'),
        ('forgetting_objects', NULL, 'Objects that a forgetting deletes, until it is done. Only the service reads it.'),
        ('forgetting_objects', 'forgetting_id', 'the forgetting'),
        ('forgetting_objects', 'object_key', 'the key of the object'),
        ('forgetting_objects', 'sha256', 'the hash of its unpacked bytes, where it is known'),
        ('forgetting_objects', 'gone', 'whether it is deleted'),
        ('forgotten', NULL, 'Tombstones of what was forgotten. What comes again is refused by its own until somebody stores it anew on purpose. Only the service reads it.'),
        ('forgotten', 'hash', 'the keyed hash of its kind, user and id'),
        ('forgotten', 'kind', 'source, key, session, event, record, fact, name, file or user'),
        ('forgotten', 'user_hash', 'the tombstone of the user'),
        ('forgotten', 'forgetting_id', 'the forgetting'),
        ('forgotten', 'forgotten_at', 'since when'),
        ('erasures', NULL, 'The permits to erase from append-only tables: one transaction each. Nothing is changed or deleted, and only the role neurigraph_erasure enters a line.'),
        ('erasures', 'erasure_id', 'the id'),
        ('erasures', 'forgetting_id', 'what it was for'),
        ('erasures', 'xid', 'the transaction'),
        ('erasures', 'opened_at', 'when the transaction began'),
        ('erasures', 'by_role', 'the role of the session'),
        ('erasures', 'purpose', 'the step'),
        ('forgetting_key', NULL, 'The key of all tombstones. Only the service reads it.'),
        ('forgetting_key', 'only_one', 'true: there is one row'),
        ('forgetting_key', 'key', '32 random bytes'),
        ('model_answers', 'records', 'the records that it was asked for, where they were known'),
        ('model_answers', 'source', 'the tombstone of the source that it was asked for, where its records were not known yet'),
        ('idempotency', 'forgotten', 'whether what the request stored is forgotten: there is no answer any more'),
        ('users', 'forgotten_at', 'since when the user is being forgotten, and unknown to every request')) AS t (place, name, text)
    LOOP
        IF c.name IS NULL THEN
            EXECUTE format('COMMENT ON TABLE engine.%I IS %L', c.place, c.text);
        ELSE
            EXECUTE format('COMMENT ON COLUMN engine.%I.%I IS %L', c.place, c.name, c.text);
        END IF;
    END LOOP;
END $$;
