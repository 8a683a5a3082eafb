-- Living records: what a node holds changes by deltas, and every past state can be read back on two clocks.
--
--   delta      one change of a record, an item, a node or a relation: fields with before and after, author, the time from
--              which it holds (w_coordinate), the time at which it was written (created_at). Deltas of one subject are
--              numbered without gaps (revision), which is the primary key: a chain cannot fork, a writer who read an
--              older state fails.
--   slice      one row of a record or an item: a state, with the times between which it held (valid_*) and was known
--              (known_*). One row keeps the subject's own id and holds its last slice; the others have ids of their own
--              and name it in version_of. Exactly one slice covers a point on both clocks, or none.
--
-- Deltas are never changed or deleted, by no role that the service uses. `payload` is apart from the chain's other
-- columns, so that content can be taken out one day without breaking the chain.

-- Nodes are brought to the newest template one by one, in batches, while older ones go on serving ---------------------

CREATE OR REPLACE FUNCTION engine.template_version() RETURNS integer LANGUAGE sql IMMUTABLE RETURN 3;
CREATE INDEX nodes_outdated ON engine.nodes (template_version, node_id);

ALTER TABLE template.metadata_records
    ADD COLUMN revision integer NOT NULL DEFAULT 1 CHECK (revision > 0),
    ADD COLUMN version_of uuid CHECK (version_of <> record_id);
ALTER TABLE template.memory_items
    ADD COLUMN revision integer NOT NULL DEFAULT 1 CHECK (revision > 0),
    ADD COLUMN version_of uuid CHECK (version_of <> item_id);
ALTER TABLE template.delta_log
    ADD COLUMN revision integer NOT NULL DEFAULT 1 CHECK (revision > 0),
    ADD CONSTRAINT delta_log_first CHECK (revision > 1 OR previous_delta_id IS NULL),
    DROP CONSTRAINT delta_log_pkey, ADD PRIMARY KEY (subject_id, revision),
    DROP CONSTRAINT delta_log_subject_kind_check,
    ADD CONSTRAINT delta_log_subject_kind_check CHECK (subject_kind IN ('record', 'item', 'node', 'file', 'relation'));

CREATE FUNCTION engine.guard_deltas(p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
    EXECUTE format('CREATE OR REPLACE TRIGGER append_only BEFORE UPDATE OR DELETE ON %I.delta_log'
                   ' FOR EACH ROW EXECUTE FUNCTION engine.refuse_change()', p_schema);
    EXECUTE format('CREATE OR REPLACE TRIGGER append_only_whole BEFORE TRUNCATE ON %I.delta_log'
                   ' FOR EACH STATEMENT EXECUTE FUNCTION engine.refuse_change()', p_schema);
END $$;
REVOKE ALL ON FUNCTION engine.guard_deltas FROM PUBLIC;

-- From template 2 to 3. What was said at a time is true from that time on.
CREATE FUNCTION engine.upgrade_node_to_3(p_node uuid, p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
    EXECUTE format('ALTER TABLE %I.metadata_records ADD COLUMN revision integer NOT NULL DEFAULT 1 CHECK (revision > 0),'
                   ' ADD COLUMN version_of uuid CHECK (version_of <> record_id)', p_schema);
    EXECUTE format('ALTER TABLE %I.memory_items ADD COLUMN revision integer NOT NULL DEFAULT 1 CHECK (revision > 0),'
                   ' ADD COLUMN version_of uuid CHECK (version_of <> item_id)', p_schema);
    EXECUTE format('ALTER TABLE %I.delta_log ADD COLUMN revision integer NOT NULL DEFAULT 1 CHECK (revision > 0),'
                   ' ADD CONSTRAINT delta_log_first CHECK (revision > 1 OR previous_delta_id IS NULL),'
                   ' DROP CONSTRAINT delta_log_pkey, ADD PRIMARY KEY (subject_id, revision),'
                   ' DROP CONSTRAINT delta_log_subject_kind_check, ADD CONSTRAINT delta_log_subject_kind_check'
                   ' CHECK (subject_kind IN (''record'', ''item'', ''node'', ''file'', ''relation''))', p_schema);
    EXECUTE format('UPDATE %I.metadata_records SET valid_from = least(occurred_at, known_from)'
                   ' WHERE valid_from = ''-infinity'' AND occurred_at IS NOT NULL', p_schema);
    EXECUTE format('UPDATE %I.memory_items SET valid_from = least(occurred_at, known_from)'
                   ' WHERE valid_from = ''-infinity'' AND occurred_at IS NOT NULL', p_schema);
    PERFORM engine.guard_deltas(p_schema);
END $$;
REVOKE ALL ON FUNCTION engine.upgrade_node_to_3 FROM PUBLIC;

-- Brings at most so many nodes to the newest template, or only those asked for. Nodes that somebody else upgrades are
-- skipped, and those in use for longer than the lock timeout; both come again in the next batch.
CREATE FUNCTION engine.upgrade_nodes(p_nodes uuid[], p_most integer, OUT upgraded integer, OUT busy integer, OUT outdated bigint)
LANGUAGE plpgsql SET search_path = pg_catalog SET lock_timeout = '2s' AS $$
DECLARE
    node engine.nodes;
BEGIN
    upgraded := 0; busy := 0;
    FOR node IN SELECT n.* FROM engine.nodes AS n
                WHERE n.template_version < engine.template_version() AND (p_nodes IS NULL OR n.node_id = ANY (p_nodes))
                ORDER BY n.template_version, n.node_id LIMIT p_most FOR UPDATE SKIP LOCKED
    LOOP
        BEGIN
            FOR step IN node.template_version + 1 .. engine.template_version() LOOP
                EXECUTE format('SELECT engine.upgrade_node_to_%s($1, $2)', step) USING node.node_id, node.schema_name;
            END LOOP;
            UPDATE engine.nodes SET template_version = engine.template_version() WHERE node_id = node.node_id;
            upgraded := upgraded + 1;
        EXCEPTION WHEN lock_not_available THEN
            busy := busy + 1;
        END;
    END LOOP;
    SELECT count(*) INTO outdated FROM engine.nodes AS n WHERE n.template_version < engine.template_version();
END $$;
REVOKE ALL ON FUNCTION engine.upgrade_nodes FROM PUBLIC;

CREATE OR REPLACE FUNCTION engine.create_node_schema(p_node uuid, p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public AS $$
DECLARE
    t record;
    embedding record;
BEGIN
    SELECT * INTO embedding FROM engine.embedding_column();
    EXECUTE format('CREATE SCHEMA %I', p_schema);
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO neurigraph_request', p_schema);
    FOR t IN SELECT * FROM (VALUES ('metadata_records', 'SELECT, INSERT, UPDATE'), ('memory_items', 'SELECT, INSERT, UPDATE'),
                                   ('file_manifest', 'SELECT, INSERT, UPDATE'), ('delta_log', 'SELECT, INSERT'),
                                   ('term_counts', 'SELECT, INSERT, UPDATE')) AS v (name, rights)
    LOOP
        EXECUTE format('CREATE TABLE %1$I.%2$I (LIKE template.%2$I INCLUDING ALL)', p_schema, t.name);
        IF embedding.type_name = 'public.halfvec' AND t.name IN ('metadata_records', 'memory_items') THEN
            EXECUTE format('ALTER TABLE %I.%I ALTER COLUMN embedding TYPE public.halfvec, ALTER COLUMN embedding SET STORAGE %s',
                           p_schema, t.name, CASE t.name WHEN 'memory_items' THEN embedding.storage ELSE 'EXTERNAL' END);
        END IF;
        EXECUTE format('ALTER TABLE %I.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', p_schema, t.name);
        EXECUTE format('CREATE POLICY service ON %I.%I TO CURRENT_USER USING (true) WITH CHECK (true)', p_schema, t.name);
        EXECUTE format('GRANT %s ON %I.%I TO neurigraph_request', t.rights, p_schema, t.name);
    END LOOP;
    PERFORM engine.apply_node_policies(p_node, p_schema);
    PERFORM engine.guard_deltas(p_schema);
    EXECUTE format('ALTER TABLE %1$I.memory_items ADD FOREIGN KEY (record_id) REFERENCES %1$I.metadata_records', p_schema);
    EXECUTE format('ALTER TABLE %1$I.file_manifest ADD FOREIGN KEY (record_id) REFERENCES %1$I.metadata_records', p_schema);
END $$;

-- Does this node's schema have slices yet?
CREATE FUNCTION engine.has_slices(p_schema text) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog
RETURN EXISTS (SELECT FROM pg_attribute AS a
               WHERE a.attrelid = to_regclass(format('%I.memory_items', p_schema)) AND a.attname = 'version_of');

-- Nodes change too --------------------------------------------------------------------------------------------------

ALTER TABLE engine.nodes ADD COLUMN revision integer NOT NULL DEFAULT 1 CHECK (revision > 0);

-- Names and places that a node had: what the registry no longer says, or did not know at that time. Its user's alone.
CREATE TABLE engine.node_slices (
    slice_id   uuid PRIMARY KEY,
    node_id    uuid NOT NULL REFERENCES engine.nodes,
    user_id    uuid NOT NULL REFERENCES engine.users,
    name       text NOT NULL,
    parent_id  uuid,
    valid_from timestamptz NOT NULL,
    valid_to   timestamptz,
    known_from timestamptz NOT NULL,
    known_to   timestamptz,
    CHECK (valid_to IS NULL OR valid_to > valid_from),
    CHECK (known_to IS NULL OR known_to > known_from)
);
CREATE INDEX node_slices_of_node ON engine.node_slices (node_id);
ALTER TABLE engine.node_slices ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.node_slices FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.node_slices TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.node_slices FOR SELECT TO neurigraph_request USING (user_id = (SELECT engine.principal_user()));
GRANT SELECT ON engine.node_slices TO neurigraph_request;

-- The names from the root down to a node at a moment, those that the principal may read (times are never NULL).
CREATE FUNCTION engine.path_at(p_node uuid, p_as_of timestamptz, p_known_at timestamptz) RETURNS text[]
LANGUAGE sql STABLE SET search_path = pg_catalog
BEGIN ATOMIC
    WITH RECURSIVE up AS (
        SELECT p_node AS node_id, 0 AS step
        UNION ALL
        SELECT coalesce((SELECT s.parent_id FROM engine.node_slices AS s
                         WHERE s.node_id = up.node_id AND s.valid_from <= p_as_of AND (s.valid_to IS NULL OR s.valid_to > p_as_of)
                           AND s.known_from <= p_known_at AND (s.known_to IS NULL OR s.known_to > p_known_at)),
                        (SELECT n.parent_id FROM engine.nodes AS n WHERE n.node_id = up.node_id)), up.step + 1
        FROM up WHERE up.node_id IS NOT NULL AND up.step < 6
    )
    SELECT array_agg(coalesce((SELECT s.name FROM engine.node_slices AS s
                               WHERE s.node_id = n.node_id AND s.valid_from <= p_as_of AND (s.valid_to IS NULL OR s.valid_to > p_as_of)
                                 AND s.known_from <= p_known_at AND (s.known_to IS NULL OR s.known_to > p_known_at)), n.name)
                     ORDER BY up.step DESC)
    FROM up JOIN engine.nodes AS n USING (node_id);
END;
REVOKE ALL ON FUNCTION engine.path_at FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.path_at TO neurigraph_request;

DROP TRIGGER lineage ON engine.nodes;
CREATE TRIGGER lineage BEFORE INSERT ON engine.nodes FOR EACH ROW EXECUTE FUNCTION engine.set_lineage();

-- Changes a node for its user: a new name, a new parent, or only what the graph holds. One commit: registry, slices, delta
-- and the graph's part. `p_slices`: what of name and place ends to be known, and what begins (slice_id, known_to or all columns).
-- Refuses with NG404 what is not there, NG409 for a revision that is not the expected one or a taken name, NG422 for a
-- place below layer 5 or inside the node itself. Returns the nodes whose layer moved.
CREATE FUNCTION engine.revise_node(p_commit uuid, p_node uuid, p_expected integer, p_name text, p_key text, p_parent uuid,
                                   p_slices jsonb, p_delta jsonb, p_payload jsonb)
RETURNS TABLE (payload jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
#variable_conflict use_column
DECLARE
    node engine.nodes;
    target engine.nodes;
    shift integer := 0;
    above uuid[];
    part jsonb;
    message jsonb := p_payload;
BEGIN
    -- One change of the tree of a user at a time: two moves could close a circle.
    PERFORM FROM engine.nodes AS r WHERE r.node_id = engine.principal_user() FOR UPDATE;
    SELECT * INTO node FROM engine.nodes AS n WHERE n.node_id = p_node AND n.state = 'live' AND n.known_to IS NULL FOR UPDATE;
    IF node.node_id IS NULL OR NOT engine.owns(p_node) THEN
        RAISE EXCEPTION 'There is no such node.' USING ERRCODE = 'NG404';
    END IF;
    IF node.revision <> p_expected THEN
        RAISE EXCEPTION 'The node was changed meanwhile.' USING ERRCODE = 'NG409';
    END IF;
    above := node.lineage[: node.layer];
    IF p_parent IS DISTINCT FROM node.parent_id THEN
        SELECT * INTO target FROM engine.nodes AS n
        WHERE n.node_id = p_parent AND n.user_id = node.user_id AND n.state = 'live' AND n.known_to IS NULL;
        IF target.node_id IS NULL OR node.layer = 0 THEN
            RAISE EXCEPTION 'There is no such node.' USING ERRCODE = 'NG404';
        END IF;
        shift := target.layer + 1 - node.layer;
        above := target.lineage;
        IF p_node = ANY (above) OR 5 < shift + (SELECT max(n.layer) FROM engine.nodes AS n
                                                WHERE n.user_id = node.user_id AND p_node = ANY (n.lineage)) THEN
            RAISE EXCEPTION 'A node cannot lie deeper than layer 5.' USING ERRCODE = 'NG422';
        END IF;
    END IF;
    BEGIN
        UPDATE engine.nodes AS n
        SET parent_id = CASE n.node_id WHEN p_node THEN p_parent ELSE n.parent_id END,
            name = CASE n.node_id WHEN p_node THEN p_name ELSE n.name END,
            name_key = CASE n.node_id WHEN p_node THEN p_key ELSE n.name_key END,
            revision = n.revision + CASE n.node_id WHEN p_node THEN 1 ELSE 0 END,
            layer = n.layer + shift,
            lineage = above || n.lineage[node.layer + 1 :]
        WHERE n.user_id = node.user_id AND (n.node_id = p_node OR shift <> 0 OR p_parent IS DISTINCT FROM node.parent_id)
          AND p_node = ANY (n.lineage);
    EXCEPTION WHEN unique_violation THEN
        RAISE EXCEPTION 'A sibling has this name.' USING ERRCODE = 'NG410';
    END;
    IF p_parent IS DISTINCT FROM node.parent_id THEN
        message := jsonb_set(message, '{revision,layers}', (
            SELECT jsonb_agg(jsonb_build_object('node_id', n.node_id, 'layer', n.layer))
            FROM engine.nodes AS n WHERE n.user_id = node.user_id AND p_node = ANY (n.lineage)));
    END IF;
    IF node.layer = 0 THEN
        UPDATE engine.users AS u SET display_name = p_name WHERE u.user_id = p_node;
    END IF;
    FOR part IN SELECT * FROM jsonb_array_elements(p_slices) LOOP
        IF part ? 'name' THEN
            INSERT INTO engine.node_slices (slice_id, node_id, user_id, name, parent_id, valid_from, valid_to, known_from, known_to)
            VALUES ((part ->> 'slice_id')::uuid, p_node, node.user_id, part ->> 'name', (part ->> 'parent_id')::uuid,
                    coalesce((part ->> 'valid_from')::timestamptz, '-infinity'), (part ->> 'valid_to')::timestamptz,
                    (part ->> 'known_from')::timestamptz, (part ->> 'known_to')::timestamptz);
        ELSE
            UPDATE engine.node_slices AS s SET known_to = (part ->> 'known_to')::timestamptz
            WHERE s.slice_id = (part ->> 'slice_id')::uuid AND s.node_id = p_node;
        END IF;
    END LOOP;
    EXECUTE format('INSERT INTO %I.delta_log (delta_id, subject_kind, subject_id, w_coordinate, payload, previous_delta_id,'
                   ' authored_by, created_at, revision) SELECT d.* FROM jsonb_to_record($1) AS d (delta_id uuid, subject_kind text,'
                   ' subject_id uuid, w_coordinate timestamptz, payload jsonb, previous_delta_id uuid, authored_by text,'
                   ' created_at timestamptz, revision integer)', node.schema_name) USING p_delta;
    INSERT INTO engine.outbox (commit_id, user_id, kind, payload) VALUES (p_commit, node.user_id, 'node_revised', message);
    RETURN QUERY SELECT message;
END $$;
REVOKE ALL ON FUNCTION engine.revise_node FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.revise_node TO neurigraph_request;

-- Deltas --------------------------------------------------------------------------------------------------------------

-- The chain of one subject for somebody who may change it: the user, or a persona that was granted writing, unless private.
CREATE FUNCTION engine.subject_deltas(p_node uuid, p_subject uuid, p_after integer, p_most integer)
RETURNS TABLE (delta_id uuid, subject_kind text, subject_id uuid, revision integer, w_coordinate timestamptz, payload jsonb,
               authored_by text, created_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    node_schema text := (SELECT n.schema_name FROM engine.nodes AS n WHERE n.node_id = p_node);
    others boolean;
BEGIN
    IF node_schema IS NULL OR NOT engine.can('write', p_node) THEN
        RETURN;
    END IF;
    EXECUTE format('SELECT EXISTS (SELECT FROM %1$I.metadata_records WHERE record_id = $1 AND privacy <> ''private'')'
                   ' OR EXISTS (SELECT FROM %1$I.memory_items WHERE item_id = $1 AND privacy <> ''private'')', node_schema)
    INTO others USING p_subject;
    IF others OR engine.owns(p_node) THEN
        RETURN QUERY EXECUTE format('SELECT delta_id, subject_kind, subject_id, revision, w_coordinate, payload, authored_by, created_at'
                                    ' FROM %I.delta_log WHERE subject_id = $1 AND revision > $2 ORDER BY revision LIMIT $3', node_schema)
        USING p_subject, p_after, p_most;
    END IF;
END $$;
REVOKE ALL ON FUNCTION engine.subject_deltas FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.subject_deltas TO neurigraph_request;

-- What changed in a graph between two times, on either clock: subjects in the order of their nodes and ids, one page; or whether
-- this one did. Under the caller's rights: only its user reads deltas. A node that is new has changed, too.
CREATE FUNCTION engine.subjects_changed(p_user uuid, p_node uuid, p_subject uuid, p_from timestamptz, p_to timestamptz,
                                        p_after_node uuid, p_after_subject uuid, p_most integer)
RETURNS TABLE (node_id uuid, subject_id uuid, subject_kind text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
DECLARE
    node record;
    found integer := 0;
    got integer;
BEGIN
    FOR node IN SELECT n.node_id AS id, n.schema_name AS place, n.created_at > p_from AND n.created_at <= p_to AS fresh FROM engine.nodes AS n
                WHERE n.user_id = p_user AND n.state = 'live' AND (p_node IS NULL OR n.node_id = p_node)
                  AND n.node_id >= coalesce(p_after_node, n.node_id) ORDER BY n.node_id
    LOOP
        EXIT WHEN found >= p_most;
        RETURN QUERY EXECUTE format(
            'SELECT $1, c.subject_id, c.subject_kind FROM (
                 SELECT subject_id, subject_kind FROM %I.delta_log
                 WHERE created_at > $2 AND created_at <= $3 OR w_coordinate > $2 AND w_coordinate <= $3
                 UNION SELECT $1, ''node'' WHERE $6) AS c
             WHERE ($4 IS NULL OR c.subject_id > $4) AND ($7 IS NULL OR c.subject_id = $7) ORDER BY c.subject_id LIMIT $5', node.place)
        USING node.id, p_from, p_to, CASE WHEN node.id = p_after_node THEN p_after_subject END, p_most - found, node.fresh, p_subject;
        GET DIAGNOSTICS got = ROW_COUNT;
        found := found + got;
    END LOOP;
END $$;
REVOKE ALL ON FUNCTION engine.subjects_changed FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.subjects_changed TO neurigraph_request;

-- Commits of changes: what the graph has to learn of them.
ALTER TABLE engine.outbox DROP CONSTRAINT outbox_kind_check,
    ADD CONSTRAINT outbox_kind_check
    CHECK (kind IN ('node', 'records', 'granted', 'revoked', 'node_revised', 'record_revised', 'relation'));
CREATE OR REPLACE FUNCTION engine.may_commit(p_user uuid, p_kind text, p_payload jsonb) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog
RETURN CASE engine.principal_kind()
    WHEN 'user' THEN p_user = engine.principal_id()
    WHEN 'persona' THEN p_user = engine.principal_graph() AND CASE p_kind
        WHEN 'records' THEN NOT EXISTS (
            SELECT FROM jsonb_array_elements(p_payload -> 'records') AS r
            WHERE r ->> 'user_id' <> p_user::text OR NOT engine.can('write', (r ->> 'node_id')::uuid))
        WHEN 'record_revised' THEN p_payload -> 'revision' ->> 'user_id' = p_user::text
            AND engine.can('write', (p_payload -> 'revision' ->> 'node_id')::uuid)
        ELSE false END
    ELSE false END;
DROP POLICY commits ON engine.outbox;
CREATE POLICY commits ON engine.outbox FOR INSERT TO neurigraph_request
    WITH CHECK ((kind = 'records' AND jsonb_typeof(payload -> 'records') = 'array'
                 OR kind IN ('record_revised', 'relation') AND jsonb_typeof(payload -> 'revision') = 'object')
                AND engine.may_commit(user_id, kind, payload));

-- Search on both clocks -----------------------------------------------------------------------------------------------

-- One scan per node: words and meaning of every item together, and the words of its record. Only items of live records, as
-- they were at the moment. Vectors of another version are not compared: meaning is NULL then.
CREATE OR REPLACE FUNCTION engine.search_scan(p_nodes uuid[], p_schemas text[], p_query vector, p_version text, p_items sparsevec,
                                              p_records sparsevec, p_kinds text[], p_as_of timestamptz, p_known_at timestamptz)
RETURNS TABLE (node_id uuid, schema_name text, item_id uuid, kind text, session uuid, "position" integer,
               words float8, meaning float8, record_words float8)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public AS $$
DECLARE
    place integer;
BEGIN
    FOR place IN 1 .. coalesce(array_length(p_nodes, 1), 0) LOOP
        CONTINUE WHEN pg_relation_size(format('%I.memory_items', p_schemas[place])::regclass) = 0;
        RETURN QUERY EXECUTE format(
            'SELECT $1, $2, i.item_id, i.kind, i.session, i.position, -(i.terms <#> $5),
                    CASE WHEN i.embedding_version = $4 THEN -(i.embedding <#> $3) END, r.words
             FROM %1$I.memory_items AS i
             JOIN (SELECT %2$s AS record_id, -(terms <#> $6) AS words FROM %1$I.metadata_records
                   WHERE state = ''live'' AND valid_from <= $8 AND (valid_to IS NULL OR valid_to > $8)
                     AND known_from <= $9 AND (known_to IS NULL OR known_to > $9) OFFSET 0) AS r USING (record_id)
             WHERE ($7 IS NULL OR i.kind = ANY ($7)) AND i.valid_from <= $8 AND (i.valid_to IS NULL OR i.valid_to > $8)
               AND i.known_from <= $9 AND (i.known_to IS NULL OR i.known_to > $9)',
            p_schemas[place], CASE WHEN engine.has_slices(p_schemas[place]) THEN 'coalesce(version_of, record_id)' ELSE 'record_id' END)
        USING p_nodes[place], p_schemas[place], p_query, p_version, p_items, p_records, p_kinds, p_as_of, p_known_at;
    END LOOP;
END $$;

-- What a reader is shown of chosen items (`row_id`: of the slice that was found): the item, its record at the moment, its file.
DROP FUNCTION engine.search_contents(text, uuid[]);
CREATE FUNCTION engine.search_contents(p_schema text, p_items uuid[], p_as_of timestamptz, p_known_at timestamptz)
RETURNS TABLE (row_id uuid, item_id uuid, record_id uuid, source_ref text, speaker text, content text, occurred_at timestamptz,
               dates text[], is_question boolean, previous_has_question boolean, first_of_session boolean,
               first_person boolean, word_count integer, time_expressions smallint, section text, record_title text,
               record_summary text, content_type text, file_id uuid, file_name text, file_state text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
DECLARE
    sliced boolean := engine.has_slices(p_schema);
BEGIN
    RETURN QUERY EXECUTE format(
        'SELECT i.item_id, %2$s, i.record_id, i.source_ref, i.speaker, i.content, i.occurred_at, i.dates, i.is_question,
                i.previous_has_question, i.first_of_session, i.first_person, i.word_count, i.time_expressions, i.section,
                r.title, r.summary, r.content_type, f.file_id, f.file_name, f.compression_state
         FROM %1$I.memory_items AS i
         JOIN %1$I.metadata_records AS r ON %3$s AND r.valid_from <= $2 AND (r.valid_to IS NULL OR r.valid_to > $2)
              AND r.known_from <= $3 AND (r.known_to IS NULL OR r.known_to > $3)
         LEFT JOIN (SELECT DISTINCT ON (m.record_id) m.* FROM %1$I.file_manifest AS m
                    WHERE m.record_id = ANY (ARRAY(SELECT record_id FROM %1$I.memory_items WHERE item_id = ANY ($1)))
                    ORDER BY m.record_id, m.created_at, m.file_id) AS f ON f.record_id = i.record_id
         WHERE i.item_id = ANY ($1)', p_schema,
        CASE WHEN sliced THEN 'coalesce(i.version_of, i.item_id)' ELSE 'i.item_id' END,
        CASE WHEN sliced THEN '(r.record_id = i.record_id OR r.version_of = i.record_id)' ELSE 'r.record_id = i.record_id' END)
    USING p_items, p_as_of, p_known_at;
END $$;
REVOKE ALL ON FUNCTION engine.search_contents FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.search_contents TO neurigraph_request;

-- Slices are no records and items of their own where the stores are compared.
CREATE OR REPLACE FUNCTION engine.node_facts(p_after uuid, p_limit integer)
RETURNS TABLE (node_id uuid, user_id uuid, schema_name text, state text, schema_there boolean, shape_ok boolean,
               records bigint, items bigint, pointers text[])
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
#variable_conflict use_column
DECLARE
    part record;
BEGIN
    FOR part IN SELECT n.* FROM engine.nodes AS n WHERE n.node_id > p_after ORDER BY n.node_id LIMIT p_limit LOOP
        node_id := part.node_id; user_id := part.user_id; schema_name := part.schema_name; state := part.state;
        schema_there := to_regnamespace(quote_ident(part.schema_name)) IS NOT NULL;
        shape_ok := schema_there AND NOT EXISTS (
            SELECT c.table_name, c.column_name FROM information_schema.columns AS c WHERE c.table_schema = 'template'
            EXCEPT SELECT c.table_name, c.column_name FROM information_schema.columns AS c WHERE c.table_schema = part.schema_name);
        records := NULL; items := NULL; pointers := NULL;
        IF shape_ok THEN
            EXECUTE format('SELECT (SELECT count(*) FROM %1$I.metadata_records WHERE state = ''live'' AND version_of IS NULL),'
                           ' (SELECT count(*) FROM %1$I.memory_items AS i JOIN %1$I.metadata_records AS r USING (record_id)'
                           ' WHERE r.state = ''live'' AND i.version_of IS NULL),'
                           ' ARRAY(SELECT f.storage_path FROM %1$I.file_manifest AS f JOIN %1$I.metadata_records AS r USING (record_id)'
                           ' WHERE r.state = ''live'')', part.schema_name) INTO records, items, pointers;
        END IF;
        RETURN NEXT;
    END LOOP;
END $$;
