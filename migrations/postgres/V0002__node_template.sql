-- The tables that every node owns, as real tables in the schema `template`, and the function that gives a
-- node its own copy. A node's schema is compared with the template by `neurigraph doctor`.
--
-- At birth a node has primary keys only: below some thousand rows an exact scan is as fast as an index and
-- always right. Vectors and term weights are stored plain (in the row), which makes scans 2.5 times cheaper.

CREATE SCHEMA template;

-- One record per piece of content: what it is about, searchable while its file sleeps.
CREATE TABLE template.metadata_records (
    record_id         uuid PRIMARY KEY,
    state             text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'live')),
    commit_id         uuid NOT NULL,
    title             text NOT NULL DEFAULT '',
    summary           text NOT NULL,
    embedding         vector,
    embedding_version text,
    embedding_pending boolean NOT NULL DEFAULT false,
    terms             sparsevec,
    kw_entities       text[] NOT NULL DEFAULT '{}',
    kw_topics         text[] NOT NULL DEFAULT '{}',
    kw_dates          text[] NOT NULL DEFAULT '{}',
    kw_relationships  text[] NOT NULL DEFAULT '{}',
    kw_source         text NOT NULL DEFAULT '',
    content_type      text NOT NULL CHECK (content_type IN ('conversation', 'event', 'file_upload', 'other')),
    trigger_type      text NOT NULL CHECK (trigger_type IN ('conversation_end', 'chunk_threshold', 'event_boundary')),
    source_id         text NOT NULL,
    file_pointer      text,
    token_count       integer NOT NULL DEFAULT 0 CHECK (token_count >= 0),
    privacy           text NOT NULL DEFAULT 'org' CHECK (privacy IN ('org', 'private')),
    occurred_at       timestamptz,
    created_at        timestamptz NOT NULL DEFAULT now(),
    last_accessed_at  timestamptz NOT NULL DEFAULT now(),
    valid_from        timestamptz NOT NULL DEFAULT '-infinity',
    valid_to          timestamptz,
    known_from        timestamptz NOT NULL DEFAULT now(),
    known_to          timestamptz,
    CHECK (embedding_pending = (embedding IS NULL)),
    CHECK ((embedding IS NULL) = (embedding_version IS NULL))
);

-- What a search finds: turns and chunks now; facts, observations and summaries in the same shape.
CREATE TABLE template.memory_items (
    item_id               uuid PRIMARY KEY,
    record_id             uuid NOT NULL,
    kind                  text NOT NULL CHECK (kind IN ('turn', 'chunk', 'fact', 'observation', 'summary')),
    session               uuid NOT NULL,
    position              integer NOT NULL CHECK (position >= 0),
    source_ref            text,
    speaker               text NOT NULL DEFAULT '',
    content               text NOT NULL,
    content_hash          bytea NOT NULL CHECK (octet_length(content_hash) = 32),
    embedding             vector,
    embedding_version     text,
    terms                 sparsevec NOT NULL,
    occurred_at           timestamptz,
    dates                 text[] NOT NULL DEFAULT '{}',
    is_question           boolean NOT NULL DEFAULT false,
    previous_has_question boolean NOT NULL DEFAULT false,
    first_of_session      boolean NOT NULL DEFAULT false,
    first_person          boolean NOT NULL DEFAULT false,
    word_count            integer NOT NULL DEFAULT 0,
    time_expressions      smallint NOT NULL DEFAULT 0,
    section               text NOT NULL DEFAULT '',
    span                  int4range,
    token_count           integer NOT NULL DEFAULT 0,
    category              text NOT NULL DEFAULT '',
    tags                  text[] NOT NULL DEFAULT '{}',
    subjects              text[] NOT NULL DEFAULT '{}',
    confidence            real NOT NULL DEFAULT 1 CHECK (confidence BETWEEN 0 AND 1),
    importance            real NOT NULL DEFAULT 0.5 CHECK (importance BETWEEN 0 AND 1),
    privacy               text NOT NULL DEFAULT 'org' CHECK (privacy IN ('org', 'private')),
    superseded_by         uuid,
    access_count          integer NOT NULL DEFAULT 0,
    last_accessed_at      timestamptz,
    created_at            timestamptz NOT NULL DEFAULT now(),
    valid_from            timestamptz NOT NULL DEFAULT '-infinity',
    valid_to              timestamptz,
    known_from            timestamptz NOT NULL DEFAULT now(),
    known_to              timestamptz,
    CHECK ((embedding IS NULL) = (embedding_version IS NULL))
);
ALTER TABLE template.memory_items ALTER COLUMN embedding SET STORAGE PLAIN;
ALTER TABLE template.memory_items ALTER COLUMN terms SET STORAGE PLAIN;

CREATE TABLE template.file_manifest (
    file_id            uuid PRIMARY KEY,
    record_id          uuid NOT NULL,
    file_name          text NOT NULL,
    file_type          text NOT NULL CHECK (file_type IN
                           ('pdf', 'transcript', 'document', 'image', 'video', 'audio', 'code', 'export', 'other')),
    content_type       text NOT NULL,
    storage_path       text NOT NULL,
    compression_state  text NOT NULL DEFAULT 'dormant' CHECK (compression_state IN ('active', 'dormant', 'rehydrating')),
    compression_format text NOT NULL CHECK (compression_format IN ('gzip', 'native')),
    size_bytes         bigint NOT NULL CHECK (size_bytes >= 0),
    stored_bytes       bigint NOT NULL CHECK (stored_bytes >= 0),
    sha256             bytea NOT NULL CHECK (octet_length(sha256) = 32),
    created_at         timestamptz NOT NULL DEFAULT now(),
    last_accessed_at   timestamptz NOT NULL DEFAULT now(),
    recompress_after   timestamptz,
    CHECK (compression_state = 'active' OR recompress_after IS NULL)
);

-- Every change of a record, item or node as a delta on the time axis; nothing is overwritten.
CREATE TABLE template.delta_log (
    delta_id          uuid PRIMARY KEY,
    subject_kind      text NOT NULL CHECK (subject_kind IN ('record', 'item', 'node', 'file')),
    subject_id        uuid NOT NULL,
    w_coordinate      timestamptz NOT NULL,
    payload           jsonb NOT NULL,
    previous_delta_id uuid,
    authored_by       text NOT NULL,
    created_at        timestamptz NOT NULL DEFAULT now()
);

-- In how many documents of this node a term occurs, per kind of document; term 0 counts the documents.
CREATE TABLE template.term_counts (
    unit      text NOT NULL CHECK (unit IN ('turn', 'passage', 'record')),
    term      integer NOT NULL CHECK (term >= 0),
    documents integer NOT NULL CHECK (documents >= 0),
    PRIMARY KEY (unit, term)
);
