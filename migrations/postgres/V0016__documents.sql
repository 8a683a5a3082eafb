-- Documents with versions, raw resources, and the log of events.
--
-- A document is one record for good: its id is the record's, its place the record's node. A new version is a renewal of that
-- record and not a second record, because what did not change must not be touched: chunks that stay keep row, id and vector,
-- and hang on the record by its id. What a renewal does, in one transaction with the outbox row that the graph learns from:
--
--   record   every slice that was known is known until now; the new ones carry the new summary, keywords, words and file. It is a
--            correction: it holds from the beginning of the record, is known from now on. So known_at gives every older version
--   chunks   found again by their hash (section and text, which the vector is made from): only place and span are set anew. Those
--            not found again end to be known now, with a delta that says so. New ones are known from now on, and hold since the record does
--   file     a new object and a new line of the manifest; the old ones stay. A slice of the record points at the file of its version
--   source   its units are the number of versions; who comes second with the same number is refused (NG409)
--
-- Invariants: versions of a document have no gaps; a version is never changed; at any known time the chunks of the document that
-- are known are those of one version, but for what was changed by hand; the words of superseded chunks are not counted.

CREATE TABLE engine.documents (
    document_id uuid PRIMARY KEY,  -- of its record
    user_id     uuid NOT NULL REFERENCES engine.users,
    source_id   text NOT NULL CHECK (char_length(source_id) BETWEEN 1 AND 500),
    node_id     uuid NOT NULL REFERENCES engine.nodes,
    created_at  timestamptz NOT NULL,
    UNIQUE (user_id, source_id)
);
CREATE INDEX documents_of_user ON engine.documents (user_id, document_id);

CREATE TABLE engine.document_versions (
    document_id  uuid NOT NULL REFERENCES engine.documents,
    version      integer NOT NULL CHECK (version > 0),
    user_id      uuid NOT NULL REFERENCES engine.users,
    source_id    text NOT NULL,
    commit_id    uuid NOT NULL,
    title        text NOT NULL,
    content_hash bytea NOT NULL CHECK (octet_length(content_hash) = 32),
    file_id      uuid NOT NULL,
    file_name    text NOT NULL,
    chunks       uuid[] NOT NULL,  -- all of this version, in order
    chunk_hashes bytea NOT NULL,   -- theirs, 32 bytes each, as the source has them: changes by hand do not count
    kept         integer NOT NULL CHECK (kept >= 0),
    added        integer NOT NULL CHECK (added >= 0),
    superseded   integer NOT NULL CHECK (superseded >= 0),
    authored_by  text NOT NULL,
    known_at     timestamptz NOT NULL,
    PRIMARY KEY (document_id, version),
    CHECK (octet_length(chunk_hashes) = 32 * cardinality(chunks)),
    CHECK (kept + added = cardinality(chunks))
);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON engine.document_versions FOR EACH ROW EXECUTE FUNCTION engine.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON engine.document_versions FOR EACH STATEMENT EXECUTE FUNCTION engine.refuse_change();

-- Like sources: a user's own, and what a persona brought for that persona too, as long as it may write there.
ALTER TABLE engine.documents ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.documents FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.documents TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.documents FOR SELECT TO neurigraph_request
    USING (user_id = (SELECT engine.principal_graph()) AND starts_with(source_id, (SELECT engine.own_keys())));
CREATE POLICY stored ON engine.documents FOR INSERT TO neurigraph_request
    WITH CHECK (user_id = (SELECT engine.principal_graph()) AND starts_with(source_id, (SELECT engine.own_keys()))
                AND engine.can('write', node_id));
GRANT SELECT, INSERT ON engine.documents TO neurigraph_request;

ALTER TABLE engine.document_versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.document_versions FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.document_versions TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.document_versions FOR SELECT TO neurigraph_request
    USING (user_id = (SELECT engine.principal_graph()) AND starts_with(source_id, (SELECT engine.own_keys())));
CREATE POLICY stored ON engine.document_versions FOR INSERT TO neurigraph_request
    WITH CHECK (user_id = (SELECT engine.principal_graph()) AND starts_with(source_id, (SELECT engine.own_keys())));
GRANT SELECT, INSERT ON engine.document_versions TO neurigraph_request;

-- What was stored before: every record of a document is its first version.
DO $$
DECLARE
    n engine.nodes;
BEGIN
    FOR n IN SELECT * FROM engine.nodes WHERE state = 'live' ORDER BY layer, node_id LOOP
        EXECUTE format(
            'WITH found AS (
                 SELECT DISTINCT ON (s.source_id) r.record_id, s.source_id, s.content_hash, r.commit_id, r.title, r.created_at, f.file_id, f.file_name
                 FROM %1$I.metadata_records AS r
                 JOIN engine.sources AS s ON s.user_id = $1 AND s.commit_id = r.commit_id
                      AND regexp_replace(s.source_id, ''^persona:[0-9a-f-]{36}:'', '''') = r.source_id
                 JOIN %1$I.file_manifest AS f USING (record_id)
                 WHERE r.source_id NOT LIKE ''conversation:%%'' %2$s
                 ORDER BY s.source_id, f.created_at, f.file_id
             ), made AS (
                 INSERT INTO engine.documents (document_id, user_id, source_id, node_id, created_at)
                 SELECT record_id, $1, source_id, $2, created_at FROM found ON CONFLICT DO NOTHING RETURNING document_id
             )
             INSERT INTO engine.document_versions (document_id, version, user_id, source_id, commit_id, title, content_hash, file_id, file_name,
                                                   chunks, chunk_hashes, kept, added, superseded, authored_by, known_at)
             SELECT f.record_id, 1, $1, f.source_id, f.commit_id, f.title, f.content_hash, f.file_id, f.file_name, c.ids, c.hashes,
                    0, cardinality(c.ids), 0, ''service'', f.created_at
             FROM found AS f JOIN made ON made.document_id = f.record_id
             CROSS JOIN LATERAL (
                 SELECT coalesce(array_agg(i.item_id ORDER BY i.position, i.item_id), ''{}'') AS ids,
                        coalesce(string_agg(sha256(convert_to(i.section, ''UTF8'') || ''\x00''::bytea || convert_to(i.content, ''UTF8'')), ''''
                                            ORDER BY i.position, i.item_id), '''') AS hashes
                 FROM %1$I.memory_items AS i WHERE i.record_id = f.record_id AND i.kind = ''chunk'' %3$s) AS c',
            n.schema_name, CASE WHEN n.template_version >= 3 THEN 'AND r.version_of IS NULL' END,
            CASE WHEN n.template_version >= 3 THEN 'AND i.version_of IS NULL' END)
        USING n.user_id, n.node_id;
    END LOOP;
END $$;

-- Raw resources ---------------------------------------------------------------------------------------------------------

-- What came in, as it is kept: one line for each file that was stored with a record. The bytes are those of that file's object and
-- are not stored twice: objects are never rewritten, and the original of a file that is awake stays where it is. A conversation whose
-- turns went to several nodes is several resources, each with the turns of one node. Nobody changes or deletes a line.
-- Tenancy: the user, and the workspace, which is the application's
CREATE TABLE engine.raw_resources (
    resource_id  uuid PRIMARY KEY,  -- the id of its file
    user_id      uuid NOT NULL REFERENCES engine.users,
    workspace_id uuid NOT NULL REFERENCES engine.workspaces,
    content_type text NOT NULL CHECK (content_type IN ('conversation', 'event', 'document', 'webhook')),
    source_id    text NOT NULL CHECK (char_length(source_id) BETWEEN 1 AND 500),
    record_id    uuid NOT NULL,
    node_id      uuid NOT NULL,     -- where it was stored first
    object_key   text NOT NULL,
    file_name    text NOT NULL,
    media_type   text NOT NULL,
    packed       boolean NOT NULL,
    content_hash bytea NOT NULL CHECK (octet_length(content_hash) = 32),  -- of the bytes as they came, or as they were redacted
    size_bytes   bigint NOT NULL CHECK (size_bytes >= 0),
    authored_by  text NOT NULL,
    received_at  timestamptz NOT NULL,
    commit_id    uuid NOT NULL
);
CREATE INDEX raw_resources_of_user ON engine.raw_resources (user_id, received_at, resource_id);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON engine.raw_resources FOR EACH ROW EXECUTE FUNCTION engine.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON engine.raw_resources FOR EACH STATEMENT EXECUTE FUNCTION engine.refuse_change();
ALTER TABLE engine.raw_resources ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.raw_resources FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.raw_resources TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.raw_resources FOR SELECT TO neurigraph_request USING (user_id = (SELECT engine.principal_user()));
CREATE POLICY stored ON engine.raw_resources FOR INSERT TO neurigraph_request
    WITH CHECK (user_id = (SELECT engine.principal_graph()) AND engine.can('write', node_id));
GRANT SELECT, INSERT ON engine.raw_resources TO neurigraph_request;

-- The log of events -----------------------------------------------------------------------------------------------------

-- What happened to a user, or was felt: written once, never changed. Two clocks: when it happened, and when it was written.
CREATE TABLE engine.event_log (
    event_id    uuid PRIMARY KEY,
    user_id     uuid NOT NULL REFERENCES engine.users,
    node_id     uuid REFERENCES engine.nodes,  -- what it is about, where that was said
    kind        text NOT NULL CHECK (char_length(kind) BETWEEN 1 AND 100),
    content     text NOT NULL CHECK (char_length(content) <= 20000),
    emotion     text CHECK (char_length(emotion) BETWEEN 1 AND 100),
    intensity   real CHECK (intensity BETWEEN 0 AND 1),
    energy      real CHECK (energy BETWEEN 0 AND 1),
    occurred_at timestamptz NOT NULL,
    recorded_at timestamptz NOT NULL,
    authored_by text NOT NULL,
    CHECK (intensity IS NULL OR emotion IS NOT NULL)
);
CREATE INDEX event_log_of_user ON engine.event_log (user_id, occurred_at, event_id);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON engine.event_log FOR EACH ROW EXECUTE FUNCTION engine.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON engine.event_log FOR EACH STATEMENT EXECUTE FUNCTION engine.refuse_change();
ALTER TABLE engine.event_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.event_log FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.event_log TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.event_log FOR SELECT TO neurigraph_request USING (user_id = (SELECT engine.principal_user()));
-- Uses functions: access/owns
CREATE POLICY written ON engine.event_log FOR INSERT TO neurigraph_request
    WITH CHECK (user_id = (SELECT engine.principal_user()) AND (node_id IS NULL OR engine.owns(node_id)));
GRANT SELECT, INSERT ON engine.event_log TO neurigraph_request;
