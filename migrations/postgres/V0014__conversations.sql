-- Streamed conversations: turns that were appended one by one and wait until a piece of their conversation is stored.
--
--   open     turns are appended
--   ending   nothing more was to come; what waits is being stored
--   ended    all is stored; another turn opens it again
--
-- Turns have numbers without a gap from 0. Those below `stored` are part of the memory (engine.sources says so, with the same
-- hash); their words are gone from here, but for the last one's, which the next piece is read beside. Numbers, ids and
-- hashes stay until the clean-up, so that a repeated append is recognised.
--
-- Who may read it: as engine.sources, the user, and a persona what came in by itself (engine.own_keys).

CREATE TABLE engine.conversations (
    user_id         uuid NOT NULL REFERENCES engine.users,
    source_id       text NOT NULL CHECK (char_length(source_id) BETWEEN 1 AND 500),  -- as in engine.sources
    conversation_id text NOT NULL CHECK (char_length(conversation_id) BETWEEN 1 AND 400),
    principal_kind  text NOT NULL CHECK (principal_kind IN ('user', 'persona')),  -- who appends, and for whom it is stored
    principal_id    uuid NOT NULL,
    node_id         uuid REFERENCES engine.nodes,  -- NULL: where each turn belongs
    title           text NOT NULL CHECK (char_length(title) <= 2000),
    started_at      timestamptz,
    privacy         text NOT NULL CHECK (privacy IN ('org', 'private')),
    scope           text NOT NULL CHECK (scope IN ('user', 'thread', 'workflow')),
    scope_id        text CHECK (char_length(scope_id) BETWEEN 1 AND 200),
    source          text NOT NULL CHECK (source IN ('manual', 'extracted', 'ingested')),
    state           text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'ending', 'ended')),
    turns           integer NOT NULL CHECK (turns >= 0),
    stored          integer NOT NULL CHECK (stored BETWEEN 0 AND turns),
    chain           bytea NOT NULL CHECK (octet_length(chain) IN (0, 32)),  -- the hash of the turns that are stored
    tokens          bigint NOT NULL DEFAULT 0 CHECK (tokens >= 0),
    waiting_tokens  bigint NOT NULL DEFAULT 0 CHECK (waiting_tokens BETWEEN 0 AND tokens),
    oversized       integer NOT NULL DEFAULT 0 CHECK (oversized >= 0),
    begun_at        timestamptz NOT NULL,
    last_at         timestamptz NOT NULL,
    ended_at        timestamptz,
    failure         text CHECK (char_length(failure) <= 500),
    retry_at        timestamptz,
    PRIMARY KEY (user_id, source_id),
    CONSTRAINT a_personas_turns_say_where CHECK (principal_kind = 'user' AND principal_id = user_id
        OR principal_kind = 'persona' AND principal_id <> user_id AND node_id IS NOT NULL
           AND starts_with(source_id, 'persona:' || principal_id)),
    CONSTRAINT scope_has_id CHECK ((scope = 'user') = (scope_id IS NULL)),
    CONSTRAINT scoped_is_private CHECK (scope = 'user' OR privacy = 'private'),
    CONSTRAINT private_is_the_users CHECK (privacy = 'org' OR principal_kind = 'user'),
    CONSTRAINT waiting_turns_have_tokens CHECK ((stored = turns) = (waiting_tokens = 0)),  -- every turn has one at least
    CONSTRAINT stored_turns_have_a_hash CHECK ((stored = 0) = (octet_length(chain) = 0)),
    CONSTRAINT ended_is_stored CHECK (state <> 'ended' OR stored = turns),
    CONSTRAINT ended_has_a_time CHECK ((state = 'ended') = (ended_at IS NOT NULL)),
    CONSTRAINT failure_is_tried_again CHECK ((failure IS NULL) = (retry_at IS NULL))
) WITH (fillfactor = 70);  -- every append changes its row in place: no column of an index changes
CREATE INDEX conversations_unended ON engine.conversations (user_id, source_id) WHERE state <> 'ended';
CREATE INDEX conversations_ended ON engine.conversations (ended_at) WHERE state = 'ended';

CREATE TABLE engine.conversation_turns (
    user_id   uuid NOT NULL,
    source_id text NOT NULL CHECK (char_length(source_id) BETWEEN 1 AND 500),
    number    integer NOT NULL CHECK (number >= 0),
    ref       text CHECK (char_length(ref) BETWEEN 1 AND 500),
    digest    bytea NOT NULL CHECK (octet_length(digest) = 32),
    tokens    integer NOT NULL CHECK (tokens > 0),
    role      text CHECK (role IN ('user', 'assistant')),
    said_at   timestamptz,
    speaker   text,
    content   text,
    PRIMARY KEY (user_id, source_id, number),
    CHECK ((speaker IS NULL) = (content IS NULL)),
    FOREIGN KEY (user_id, source_id) REFERENCES engine.conversations ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
);
CREATE UNIQUE INDEX conversation_turns_ref ON engine.conversation_turns (user_id, source_id, ref) WHERE ref IS NOT NULL;

DO $$
DECLARE
    place text;
BEGIN
    FOREACH place IN ARRAY ARRAY['conversations', 'conversation_turns'] LOOP
        EXECUTE format('ALTER TABLE engine.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', place);
        EXECUTE format('CREATE POLICY service ON engine.%I TO CURRENT_USER USING (true) WITH CHECK (true)', place);
        EXECUTE format('CREATE POLICY own ON engine.%I TO neurigraph_request'
                       ' USING (user_id = (SELECT engine.principal_graph()) AND starts_with(source_id, (SELECT engine.own_keys())))'
                       ' WITH CHECK (user_id = (SELECT engine.principal_graph()) AND starts_with(source_id, (SELECT engine.own_keys())))',
                       place);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE ON engine.%I TO neurigraph_request', place);
    END LOOP;
END $$;
