-- Facts in chains. Their texts and vectors stay where they are, items of kind `fact` at nodes; here stands what became of them.
--
--   chain       facts of one subject, each superseding at most one, which no other supersedes: the database forbids a fork
--   readers     facts of one chain are for the same readers (privacy, scope): what is private ends nothing that others read
--   subject     a hash of user and subject's key. The request role cannot read it: others must not be able to test guesses
--
-- Only engine.enter_facts writes, for a principal that may write at the node of each fact.

CREATE TABLE engine.facts (
    fact_id           uuid PRIMARY KEY,  -- of its item
    user_id           uuid NOT NULL REFERENCES engine.users,
    node_id           uuid NOT NULL REFERENCES engine.nodes,
    record_id         uuid NOT NULL,
    chain_id          uuid NOT NULL,
    subject           bigint NOT NULL,
    privacy           text NOT NULL CHECK (privacy IN ('org', 'private')),
    scope             text NOT NULL CHECK (scope IN ('user', 'thread', 'workflow')),
    scope_id          text CHECK (char_length(scope_id) BETWEEN 1 AND 200),
    status            text NOT NULL CHECK (status IN ('live', 'superseded', 'invalidated', 'withdrawn', 'confirmation')),
    supersedes        uuid CONSTRAINT facts_never_fork UNIQUE DEFERRABLE CHECK (supersedes <> fact_id),
    ended_by          uuid CHECK (ended_by <> fact_id),
    contradicts       uuid CHECK (contradicts <> fact_id),
    confirms          uuid CHECK (confirms <> fact_id),
    valid_from        timestamptz NOT NULL,
    valid_to          timestamptz,
    said_at           timestamptz,
    known_from        timestamptz NOT NULL,
    invalidated_at    timestamptz,
    last_confirmed_at timestamptz,
    confirmations     integer NOT NULL DEFAULT 0 CHECK (confirmations >= 0),
    stale             boolean NOT NULL DEFAULT false,
    fact_type         text NOT NULL DEFAULT '',
    category          text NOT NULL DEFAULT '',
    CHECK ((scope = 'user') = (scope_id IS NULL)),
    CHECK (scope = 'user' OR privacy = 'private'),
    CHECK ((status = 'confirmation') = (confirms IS NOT NULL)),
    CHECK ((status IN ('live', 'confirmation')) = (invalidated_at IS NULL)),
    CHECK (status NOT IN ('superseded', 'invalidated') OR valid_to IS NOT NULL),
    CHECK (status <> 'live' OR valid_to IS NULL),
    CHECK (valid_to >= valid_from)
);
CREATE INDEX facts_of_subject ON engine.facts (user_id, subject) WHERE status = 'live';
CREATE INDEX facts_of_chain ON engine.facts (chain_id);
CREATE INDEX facts_of_node ON engine.facts (node_id, fact_id);
CREATE INDEX facts_of_user ON engine.facts (user_id, fact_id);
CREATE INDEX facts_of_record ON engine.facts (record_id);
CREATE INDEX facts_confirmed ON engine.facts (confirms) WHERE confirms IS NOT NULL;
CREATE INDEX facts_contradicted ON engine.facts (contradicts) WHERE contradicts IS NOT NULL;

ALTER TABLE engine.facts ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.facts FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.facts TO CURRENT_USER USING (true) WITH CHECK (true);
-- Others than the owner read what is live; what is over they find by a search of the past, as far as they may.
-- Uses functions: access/can, access/owns, access/reads_whole_past
CREATE POLICY readable ON engine.facts FOR SELECT TO neurigraph_request
    USING (engine.can('read', node_id, 'items') AND (privacy <> 'private' OR engine.owns(node_id))
           AND (status = 'live' OR engine.reads_whole_past(node_id)));
GRANT SELECT (fact_id, user_id, node_id, record_id, chain_id, privacy, scope, scope_id, status, supersedes, ended_by, contradicts, confirms,
              valid_from, valid_to, said_at, known_from, invalidated_at, last_confirmed_at, confirmations, stale, fact_type, category) ON engine.facts TO neurigraph_request;

-- Nodes whose items of kind fact are to be compared with the chains: a job does it. At first every node, for what is there already.
CREATE TABLE engine.unchained_facts (
    node_id  uuid PRIMARY KEY REFERENCES engine.nodes,
    noted_at timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE engine.unchained_facts ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.unchained_facts FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.unchained_facts TO CURRENT_USER USING (true) WITH CHECK (true);
INSERT INTO engine.unchained_facts (node_id) SELECT n.node_id FROM engine.nodes AS n WHERE n.state = 'live';
