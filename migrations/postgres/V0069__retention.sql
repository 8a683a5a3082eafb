-- How long what is stored is kept: rules of retention, records that expire, and what is held for a legal reason, which nothing erases.
-- Rules and holds are read by the service alone; an expiry is written with its record.

-- What is forgotten once it is old enough. Only records that fit all that a rule names are taken; one that names nothing but an age says so.
CREATE TABLE engine.retention_rules (
    rule_id       uuid PRIMARY KEY,
    number        bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    workspace_id  uuid NOT NULL REFERENCES engine.workspaces,
    user_id       uuid REFERENCES engine.users,
    older_than    interval NOT NULL CHECK (older_than BETWEEN interval '1 hour' AND interval '100 years'),
    kind          text CHECK (kind IN ('conversation', 'text', 'file', 'fact', 'event')),
    source        text CHECK (char_length(source) BETWEEN 1 AND 500),
    source_prefix text CHECK (char_length(source_prefix) BETWEEN 1 AND 500),
    tag           text CHECK (char_length(tag) BETWEEN 1 AND 200),
    scope         text CHECK (scope IN ('user', 'thread', 'workflow')),
    scope_id      text CHECK (char_length(scope_id) BETWEEN 1 AND 200),
    node_id       uuid REFERENCES engine.nodes ON DELETE CASCADE,
    everything    boolean NOT NULL DEFAULT false,
    note          text NOT NULL DEFAULT '' CHECK (char_length(note) <= 500),
    set_by         text NOT NULL CHECK (char_length(set_by) <= 200),
    set_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    CHECK (source IS NULL OR source_prefix IS NULL),
    CHECK (scope_id IS NULL OR scope IN ('thread', 'workflow')),
    CHECK (node_id IS NULL OR user_id IS NOT NULL),
    CONSTRAINT retention_rules_once
        UNIQUE NULLS NOT DISTINCT (workspace_id, user_id, older_than, kind, source, source_prefix, tag, scope, scope_id, node_id),
    CONSTRAINT retention_rules_name_something
        CHECK (everything OR num_nonnulls(kind, source, source_prefix, tag, scope, node_id) > 0)
);
CREATE INDEX retention_rules_of_user ON engine.retention_rules (user_id, number);
CREATE INDEX retention_rules_of_workspace ON engine.retention_rules (workspace_id, number);
CREATE INDEX retention_rules_of_node ON engine.retention_rules (node_id) WHERE node_id IS NOT NULL;

-- When a record expires, as its user said; a new version may say another time.
CREATE TABLE engine.expiries (
    record_id  uuid PRIMARY KEY,
    user_id    uuid NOT NULL REFERENCES engine.users,
    node_id    uuid NOT NULL,
    expires_at timestamptz NOT NULL,
    set_at     timestamptz NOT NULL
);
CREATE INDEX expiries_due ON engine.expiries (expires_at);
CREATE INDEX expiries_of_user ON engine.expiries (user_id, expires_at);

-- What is held: while a row here is not released, what it names cannot be erased. A row is released once, never changed otherwise, and goes with its user alone.
-- What a hold named is gone from it once it is released: only the keyed hash stays, by which who knows it finds it again.
CREATE TABLE engine.holds (
    hold_id        uuid PRIMARY KEY,
    number         bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    workspace_id   uuid NOT NULL REFERENCES engine.workspaces,
    user_id        uuid NOT NULL REFERENCES engine.users,
    kind           text NOT NULL CHECK (kind IN ('user', 'node', 'source', 'record')),
    subject        text NOT NULL CHECK (char_length(subject) <= 500),
    subject_hash   bytea NOT NULL CHECK (octet_length(subject_hash) = 32),
    reason         text NOT NULL CHECK (reason ~ '\S' AND char_length(reason) <= 500),
    set_by        text NOT NULL CHECK (char_length(set_by) <= 200),
    set_at         timestamptz NOT NULL DEFAULT clock_timestamp(),
    released_at    timestamptz,
    released_by    text CHECK (char_length(released_by) <= 200),
    release_reason text CHECK (release_reason ~ '\S' AND char_length(release_reason) <= 500),
    CHECK (num_nulls(released_at, released_by, release_reason) IN (0, 3)),
    CHECK ((subject = '') = (released_at IS NOT NULL))
);
CREATE UNIQUE INDEX holds_in_force ON engine.holds (user_id, subject_hash) WHERE released_at IS NULL;
CREATE INDEX holds_of_user ON engine.holds (user_id, number);

-- Uses functions: retention/keep_hold, retention/forgetting_held, template/refuse_change
CREATE TRIGGER keep_hold BEFORE INSERT OR UPDATE OR DELETE ON engine.holds FOR EACH ROW EXECUTE FUNCTION engine.keep_hold();
CREATE TRIGGER keep_hold_whole BEFORE TRUNCATE ON engine.holds FOR EACH STATEMENT EXECUTE FUNCTION engine.refuse_change();
CREATE TRIGGER held BEFORE INSERT OR UPDATE OF state ON engine.forgettings FOR EACH ROW WHEN (NEW.state IN ('planned', 'running'))
    EXECUTE FUNCTION engine.forgetting_held();

ALTER TABLE engine.forgettings DROP CONSTRAINT forgettings_kind_check,
    ADD CONSTRAINT forgettings_kind_check
        CHECK (kind IN ('record', 'document', 'source', 'conversation', 'item', 'entity', 'node', 'user', 'workspace', 'retention'));
ALTER TABLE engine.conversations ADD COLUMN expires_at timestamptz;

DO $$
DECLARE
    place text;
BEGIN
    FOREACH place IN ARRAY ARRAY['retention_rules', 'expiries', 'holds'] LOOP
        EXECUTE format('ALTER TABLE engine.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', place);
        EXECUTE format('CREATE POLICY service ON engine.%I TO CURRENT_USER USING (true) WITH CHECK (true)', place);
    END LOOP;
END $$;
-- Uses functions: access/principal_user
CREATE POLICY own ON engine.expiries TO neurigraph_request
    USING (user_id = (SELECT engine.principal_user())) WITH CHECK (user_id = (SELECT engine.principal_user()));
GRANT SELECT, INSERT, UPDATE ON engine.expiries TO neurigraph_request;

DO $$
DECLARE
    c record;
BEGIN
    FOR c IN SELECT * FROM (VALUES
        ('retention_rules', NULL, 'What is forgotten once it is old enough: records that fit all that a rule names. Only the service reads it.'),
        ('retention_rules', 'rule_id', 'the id'),
        ('retention_rules', 'number', 'its number'),
        ('retention_rules', 'workspace_id', 'the workspace'),
        ('retention_rules', 'user_id', 'whose records; empty: those of every user of the workspace'),
        ('retention_rules', 'older_than', 'the age from which on a record is forgotten: the time since it, or its newest version, was stored'),
        ('retention_rules', 'kind', 'only records of this kind: conversation, text, file, fact or event'),
        ('retention_rules', 'source', 'only records of this source, by the id that was given for it'),
        ('retention_rules', 'source_prefix', 'only records of sources whose ids begin so'),
        ('retention_rules', 'tag', 'only records of which an item has this tag'),
        ('retention_rules', 'scope', 'only records of this kind of scope: user, thread or workflow'),
        ('retention_rules', 'scope_id', 'only records of this thread or workflow'),
        ('retention_rules', 'node_id', 'only records at this node and below'),
        ('retention_rules', 'everything', 'whether it may take all records that there are'),
        ('retention_rules', 'note', 'why, in words of who set it'),
        ('retention_rules', 'set_by', 'who set it'),
        ('retention_rules', 'set_at', 'since when'),
        ('expiries', NULL, 'When records expire, as their user said.'),
        ('expiries', 'record_id', 'the record'),
        ('expiries', 'user_id', 'whose memory'),
        ('expiries', 'node_id', 'the node where it was stored first'),
        ('expiries', 'expires_at', 'when it expires'),
        ('expiries', 'set_at', 'when that was said'),
        ('conversations', 'expires_at', 'when what is stored of it expires; empty: never'),
        ('holds', NULL, 'What is held for a legal reason: nothing erases it before the hold is released. A row stays. Only the service reads it.'),
        ('holds', 'hold_id', 'the id'),
        ('holds', 'number', 'its number'),
        ('holds', 'workspace_id', 'the workspace'),
        ('holds', 'user_id', 'whose memory'),
        ('holds', 'kind', 'what is held: user, node (with what lies below), source or record'),
        ('holds', 'subject', 'what is held, by its id; empty once it is released'),
        ('holds', 'subject_hash', 'the keyed hash of what is held, with its kind and its user'),
        ('holds', 'reason', 'why'),
        ('holds', 'set_by', 'who set it'),
        ('holds', 'set_at', 'since when'),
        ('holds', 'released_at', 'until when; empty while it holds'),
        ('holds', 'released_by', 'who released it'),
        ('holds', 'release_reason', 'why it was released')) AS t (place, name, text)
    LOOP
        IF c.name IS NULL THEN
            EXECUTE format('COMMENT ON TABLE engine.%I IS %L', c.place, c.text);
        ELSE
            EXECUTE format('COMMENT ON COLUMN engine.%I.%I IS %L', c.place, c.name, c.text);
        END IF;
    END LOOP;
END $$;
