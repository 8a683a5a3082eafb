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

-- The functions below run with the rights of who calls them: the policies above hold inside.

-- The conversation, locked until the end of the transaction; opened where it is new. What is stored under its id already
-- counts as its first turns, but only for a client that says so by the number of its next one (NG409).
CREATE FUNCTION engine.open_conversation(p_source text, p_opening jsonb, p_first integer, p_now timestamptz)
RETURNS engine.conversations LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
    owner uuid := engine.principal_graph();
    found engine.conversations;
    earlier engine.sources;
    node uuid := (p_opening ->> 'node_id')::uuid;
BEGIN
    SELECT * INTO found FROM engine.conversations WHERE user_id = owner AND source_id = p_source FOR UPDATE;
    IF found.user_id IS NULL THEN
        IF owner IS NULL OR node IS NOT NULL AND NOT engine.can('write', node) THEN
            RAISE EXCEPTION 'There is no such node.' USING ERRCODE = 'NG404';
        END IF;
        SELECT * INTO earlier FROM engine.sources WHERE user_id = owner AND source_id = p_source;
        IF earlier.units IS DISTINCT FROM p_first AND earlier.units IS NOT NULL THEN
            RAISE EXCEPTION 'The conversation is stored already.' USING ERRCODE = 'NG409';
        END IF;
        INSERT INTO engine.conversations (user_id, source_id, conversation_id, principal_kind, principal_id, node_id, title, started_at,
                                          privacy, scope, scope_id, source, turns, stored, chain, begun_at, last_at)
        VALUES (owner, p_source, p_opening ->> 'conversation_id', engine.principal_kind(), engine.principal_id(), node,
                coalesce(p_opening ->> 'title', ''), (p_opening ->> 'started_at')::timestamptz, coalesce(p_opening ->> 'privacy', 'org'),
                p_opening ->> 'scope', p_opening ->> 'scope_id', p_opening ->> 'source',
                coalesce(earlier.units, 0), coalesce(earlier.units, 0), coalesce(earlier.content_hash, ''), p_now, p_now)
        ON CONFLICT DO NOTHING;
        SELECT * INTO STRICT found FROM engine.conversations WHERE user_id = owner AND source_id = p_source FOR UPDATE;
    END IF;
    IF found.scope <> p_opening ->> 'scope' OR found.scope_id IS DISTINCT FROM p_opening ->> 'scope_id'
       OR found.source <> p_opening ->> 'source' OR found.privacy <> p_opening ->> 'privacy' OR found.node_id <> node THEN
        RAISE EXCEPTION 'The conversation was opened otherwise.' USING ERRCODE = 'NG409';
    END IF;
    RETURN found;
END $$;

-- Appends turns, in order. p_first: the number of the first one, or NULL. A turn whose number or ref is known already is
-- left out where it is the same, and refused (NG409) where it is not; so is a gap. All of them or none.
CREATE FUNCTION engine.append_turns(p_source text, p_opening jsonb, p_first integer, p_refs text[], p_digests bytea[], p_tokens integer[],
                                    p_roles text[], p_times timestamptz[], p_speakers text[], p_contents text[], p_now timestamptz)
RETURNS TABLE (state text, turns integer, stored integer, tokens bigint, waiting_tokens bigint, added integer)
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
#variable_conflict use_column
DECLARE
    c engine.conversations := engine.open_conversation(p_source, p_opening, p_first, p_now);
    known engine.conversation_turns;
    new_turns integer := 0;
    new_tokens bigint := 0;
BEGIN
    FOR place IN 1 .. cardinality(p_digests) LOOP
        known := NULL;
        IF p_refs[place] IS NOT NULL THEN
            SELECT * INTO known FROM engine.conversation_turns AS t
            WHERE t.user_id = c.user_id AND t.source_id = p_source AND t.ref = p_refs[place];
        END IF;
        IF known.number IS NULL AND p_first + place - 1 < c.turns + new_turns THEN
            SELECT * INTO known FROM engine.conversation_turns AS t
            WHERE t.user_id = c.user_id AND t.source_id = p_source AND t.number = p_first + place - 1
              AND (t.ref IS NULL OR p_refs[place] IS NULL);
            IF known.number IS NULL THEN
                RAISE EXCEPTION 'Another turn has this number.' USING ERRCODE = 'NG409';
            END IF;
        END IF;
        IF known.number IS NOT NULL THEN
            IF known.digest <> p_digests[place] OR new_turns > 0 OR known.number <> p_first + place - 1 THEN
                RAISE EXCEPTION 'This turn was another one.' USING ERRCODE = 'NG409';
            END IF;
        ELSIF p_first + place - 1 > c.turns + new_turns THEN
            RAISE EXCEPTION 'There is a gap before this turn.' USING ERRCODE = 'NG409';
        ELSE
            INSERT INTO engine.conversation_turns (user_id, source_id, number, ref, digest, tokens, role, said_at, speaker, content)
            VALUES (c.user_id, p_source, c.turns + new_turns, p_refs[place], p_digests[place], p_tokens[place], p_roles[place],
                    p_times[place], p_speakers[place], p_contents[place]);
            new_turns := new_turns + 1;
            new_tokens := new_tokens + p_tokens[place];
        END IF;
    END LOOP;
    IF new_turns > 0 THEN
        UPDATE engine.conversations AS o
        SET state = 'open', ended_at = NULL, turns = o.turns + new_turns, tokens = o.tokens + new_tokens,
            waiting_tokens = o.waiting_tokens + new_tokens, last_at = greatest(o.last_at, p_now)
        WHERE o.user_id = c.user_id AND o.source_id = p_source
        RETURNING * INTO c;
    END IF;
    RETURN QUERY SELECT c.state, c.turns, c.stored, c.tokens, c.waiting_tokens, new_turns;
END $$;

-- No more is to come: what waits is due, however short. p_silent: only where nothing came since then. NG404 where there is none.
CREATE FUNCTION engine.end_conversation(p_source text, p_silent timestamptz, p_now timestamptz) RETURNS SETOF engine.conversations
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
    UPDATE engine.conversations
    SET state = CASE WHEN stored = turns THEN 'ended' ELSE 'ending' END, ended_at = CASE WHEN stored = turns THEN p_now END
    WHERE user_id = engine.principal_graph() AND source_id = p_source AND state = 'open' AND (p_silent IS NULL OR last_at <= p_silent);
    RETURN QUERY SELECT * FROM engine.conversations WHERE user_id = engine.principal_graph() AND source_id = p_source;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'There is no such conversation.' USING ERRCODE = 'NG404';
    END IF;
END $$;

-- Moves a conversation forward to what engine.sources says is stored of it, and lets the words of those turns go. Refuses
-- (NG409) where what is stored there are other turns. p_hard: a stored turn of more tokens is counted as oversized.
CREATE FUNCTION engine.settle_conversation(p_source text, p_hard integer, p_now timestamptz) RETURNS SETOF engine.conversations
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
    owner uuid := engine.principal_graph();
    c engine.conversations;
    done engine.sources;
    turn record;
    hash bytea;
    spent bigint := 0;
    large integer := 0;
BEGIN
    SELECT * INTO c FROM engine.conversations WHERE user_id = owner AND source_id = p_source FOR UPDATE;
    IF c.user_id IS NULL THEN
        RAISE EXCEPTION 'There is no such conversation.' USING ERRCODE = 'NG404';
    END IF;
    SELECT * INTO done FROM engine.sources WHERE user_id = owner AND source_id = p_source;
    IF done.units > c.stored THEN
        hash := c.chain;
        FOR turn IN SELECT t.digest, t.tokens FROM engine.conversation_turns AS t WHERE t.user_id = owner AND t.source_id = p_source
                    AND t.number >= c.stored AND t.number < done.units ORDER BY t.number
        LOOP
            hash := sha256(hash || turn.digest);
            spent := spent + turn.tokens;
            large := large + (turn.tokens > p_hard)::integer;
        END LOOP;
        IF done.units > c.turns OR hash <> done.content_hash THEN
            RAISE EXCEPTION 'Other turns are stored under this id.' USING ERRCODE = 'NG409';
        END IF;
        UPDATE engine.conversation_turns SET speaker = NULL, content = NULL
        WHERE user_id = owner AND source_id = p_source AND number >= c.stored - 1 AND number < done.units - 1 AND content IS NOT NULL;
        UPDATE engine.conversations
        SET stored = done.units, chain = hash, waiting_tokens = waiting_tokens - spent, oversized = oversized + large,
            failure = NULL, retry_at = NULL
        WHERE user_id = owner AND source_id = p_source
        RETURNING * INTO c;
    END IF;
    IF c.state = 'ending' AND c.stored = c.turns THEN
        UPDATE engine.conversations SET state = 'ended', ended_at = p_now WHERE user_id = owner AND source_id = p_source
        RETURNING * INTO c;
    END IF;
    IF c.state = 'ended' THEN
        UPDATE engine.conversation_turns SET speaker = NULL, content = NULL
        WHERE user_id = owner AND source_id = p_source AND number = c.turns - 1 AND content IS NOT NULL;
    END IF;
    RETURN NEXT c;
END $$;
REVOKE ALL ON FUNCTION engine.open_conversation, engine.append_turns, engine.end_conversation, engine.settle_conversation FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.open_conversation, engine.append_turns, engine.end_conversation, engine.settle_conversation
TO neurigraph_request;
