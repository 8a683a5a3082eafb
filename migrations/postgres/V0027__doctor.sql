-- What the doctor looks at inside of nodes, and the remedies that only Postgres can carry out. All for the service.

-- Damage that nothing can bring back and that the operator has accepted: the doctor tells of it no more. Nobody changes or deletes a line.
CREATE TABLE engine.accepted_damage (
    entry_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    accepted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    kind        text NOT NULL CHECK (char_length(kind) BETWEEN 1 AND 40),
    node_id     uuid NOT NULL,
    subject     text NOT NULL DEFAULT '',  -- a file, a source
    detail      text NOT NULL DEFAULT '' CHECK (char_length(detail) <= 1000)
);
CREATE INDEX accepted_damage_of_subject ON engine.accepted_damage (node_id, kind, subject);
ALTER TABLE engine.accepted_damage ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.accepted_damage FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.accepted_damage TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON engine.accepted_damage FOR EACH ROW EXECUTE FUNCTION engine.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON engine.accepted_damage FOR EACH STATEMENT EXECUTE FUNCTION engine.refuse_change();

-- Sources of live records of a node that the engine forgot to have stored; a persona's are kept under its own name.
CREATE FUNCTION engine.lost_sources(p_node uuid) RETURNS TABLE (source_id text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    node engine.nodes := (SELECT n FROM engine.nodes AS n WHERE n.node_id = p_node);
BEGIN
    RETURN QUERY EXECUTE format(
        'SELECT DISTINCT r.source_id FROM %I.metadata_records AS r WHERE r.state = ''live'' AND r.version_of IS NULL
         AND NOT EXISTS (SELECT FROM engine.sources AS s WHERE s.user_id = $1 AND s.source_id = r.source_id)
         AND NOT EXISTS (SELECT FROM engine.sources AS s WHERE s.user_id = $1 AND starts_with(s.source_id, ''persona:'')
                         AND substr(s.source_id, 46) = r.source_id)
         AND NOT EXISTS (SELECT FROM engine.accepted_damage AS a WHERE a.node_id = $2 AND a.kind = ''source-lost'' AND a.subject = r.source_id)',
        node.schema_name) USING node.user_id, p_node;
END $$;

-- Revisions of a node's records, items and of the node itself that its log of changes lacks.
CREATE FUNCTION engine.lost_deltas(p_node uuid) RETURNS TABLE (subject_kind text, subject_id uuid, revision integer, known_from timestamptz, valid_from timestamptz)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    node engine.nodes := (SELECT n FROM engine.nodes AS n WHERE n.node_id = p_node);
BEGIN
    RETURN QUERY EXECUTE format(
        'SELECT s.kind, s.id, g.revision, s.known_from, s.valid_from FROM (
             SELECT ''record'' AS kind, record_id AS id, 1 AS first, revision, created_at AS known_from, valid_from
             FROM %1$I.metadata_records WHERE version_of IS NULL AND state = ''live''
             UNION ALL SELECT ''item'', item_id, 2, revision, created_at, valid_from FROM %1$I.memory_items WHERE version_of IS NULL AND revision > 1
             UNION ALL SELECT ''node'', $1, 2, $2, $3, ''-infinity'') AS s,
         LATERAL generate_series(s.first, s.revision) AS g (revision)
         WHERE NOT EXISTS (SELECT FROM %1$I.delta_log AS d WHERE d.subject_id = s.id AND d.revision = g.revision)', node.schema_name)
    USING p_node, node.revision, node.created_at;
END $$;

-- What is wrong inside of these nodes: items whose text is not that of its hash, rows without a vector of the active version that nothing
-- is going to make, changes that the log lacks, sources that are forgotten. `unreadable`: the SQLSTATE, where reading failed. Only nodes
-- whose tables the catalog finds whole and of the newest version.
CREATE FUNCTION engine.node_contents(p_nodes uuid[])
RETURNS TABLE (node_id uuid, schema_name text, texts bigint, vectors bigint, deltas bigint, sources bigint, unreadable text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    node engine.nodes;
    version text := engine.active_embeddings();
    size integer := (SELECT v.dimension FROM engine.embedding_versions AS v WHERE v.name = version);
    label text := CASE engine.embedding_slot(version) WHEN 'b' THEN 'embedding_b_version' ELSE 'embedding_version' END;
BEGIN
    FOR node IN SELECT n.* FROM engine.nodes AS n WHERE n.node_id = ANY (p_nodes) AND n.state = 'live'
                  AND n.template_version = engine.template_version() AND engine.node_damage(n.schema_name, n.template_version) IS NULL
                ORDER BY n.node_id
    LOOP
        node_id := node.node_id; schema_name := node.schema_name;
        texts := 0; vectors := 0; deltas := 0; sources := 0; unreadable := NULL;
        BEGIN
            EXECUTE format('SELECT count(*) FILTER (WHERE content_hash <> sha256(convert_to(content, ''UTF8''))),'
                           ' count(*) FILTER (WHERE %2$I IS DISTINCT FROM $1 OR vector_dims(%3$I) <> $2) FROM %1$I.memory_items',
                           node.schema_name, label, left(label, -8)) INTO texts, vectors USING version, size;
            IF vectors = 0 THEN
                EXECUTE format('SELECT count(*) FROM %1$I.metadata_records WHERE length(title || summary) >= 0'
                               ' AND (%2$I IS DISTINCT FROM $1 OR vector_dims(%3$I) <> $2)',
                               node.schema_name, label, left(label, -8)) INTO vectors USING version, size;
            END IF;
            IF EXISTS (SELECT FROM engine.pending_vectors AS p WHERE p.node_id = node.node_id) THEN
                vectors := 0;
            END IF;
            SELECT count(*) INTO deltas FROM engine.lost_deltas(node.node_id);
            SELECT count(*) INTO sources FROM engine.lost_sources(node.node_id);
        EXCEPTION
            WHEN undefined_function OR insufficient_resources OR operator_intervention THEN
                RAISE;
            WHEN OTHERS THEN
                unreadable := SQLSTATE;
        END;
        RETURN NEXT;
    END LOOP;
END $$;

-- The files of live records of these nodes, but for those whose loss was accepted.
CREATE FUNCTION engine.node_files(p_nodes uuid[])
RETURNS TABLE (node_id uuid, schema_name text, file_id uuid, storage_path text, stored_bytes bigint, packed boolean, sha256 bytea)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    node engine.nodes;
BEGIN
    FOR node IN SELECT n.* FROM engine.nodes AS n WHERE n.node_id = ANY (p_nodes) AND n.state = 'live'
                  AND engine.node_damage(n.schema_name, n.template_version) IS NULL ORDER BY n.node_id
    LOOP
        RETURN QUERY EXECUTE format(
            'SELECT $1, $2, f.file_id, f.storage_path, f.stored_bytes, f.compression_format = ''gzip'', f.sha256
             FROM %1$I.file_manifest AS f JOIN %1$I.metadata_records AS r USING (record_id)
             WHERE r.state = ''live'' AND NOT EXISTS (SELECT FROM engine.accepted_damage AS a WHERE a.node_id = $1
                   AND a.kind = ''file-lost'' AND a.subject = f.file_id::text) ORDER BY f.file_id', node.schema_name)
        USING node.node_id, node.schema_name;
    END LOOP;
END $$;

-- Gives a node the tables, columns, rights and policies that it lacks, as the template has them; what was in a lost table is not there again.
-- A lost column that may not be empty and has no default stays lost where there are rows: that takes a backup.
CREATE FUNCTION engine.mend_node_tables(p_node uuid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '5s' AS $$
DECLARE
    node engine.nodes := (SELECT n FROM engine.nodes AS n WHERE n.node_id = p_node);
    part record;
    absent record;
BEGIN
    EXECUTE format('CREATE SCHEMA IF NOT EXISTS %I', node.schema_name);
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO neurigraph_request', node.schema_name);
    FOR part IN SELECT t.oid, t.relname AS name, to_regclass(format('%I.%I', node.schema_name, t.relname)) AS place,
                       CASE t.relname WHEN 'delta_log' THEN 'SELECT, INSERT' ELSE 'SELECT, INSERT, UPDATE' END AS rights
                FROM pg_class AS t WHERE t.relnamespace = 'template'::regnamespace AND t.relkind = 'r'
    LOOP
        IF part.place IS NULL THEN
            EXECUTE format('CREATE TABLE %1$I.%2$I (LIKE template.%2$I INCLUDING ALL)', node.schema_name, part.name);
            EXECUTE format('CREATE POLICY service ON %I.%I TO CURRENT_USER USING (true) WITH CHECK (true)', node.schema_name, part.name);
        END IF;
        FOR absent IN SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type_name, a.attnotnull AS filled,
                             pg_get_expr(d.adbin, d.adrelid) AS value
                      FROM pg_attribute AS a LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
                      WHERE a.attrelid = part.oid AND a.attnum > 0 AND NOT a.attisdropped AND part.place IS NOT NULL
                        AND NOT EXISTS (SELECT FROM pg_attribute AS o WHERE o.attrelid = part.place AND o.attname = a.attname AND NOT o.attisdropped)
        LOOP
            EXECUTE format('ALTER TABLE %I.%I ADD COLUMN %I %s %s %s', node.schema_name, part.name, absent.name, absent.type_name,
                           'DEFAULT ' || absent.value, CASE WHEN absent.filled THEN 'NOT NULL' END);
        END LOOP;
        EXECUTE format('ALTER TABLE %I.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', node.schema_name, part.name);
        EXECUTE format('GRANT %s ON %I.%I TO neurigraph_request', part.rights, node.schema_name, part.name);
    END LOOP;
    PERFORM engine.shape_slots(node.schema_name);
    PERFORM engine.guard_meaning(node.schema_name);
    PERFORM engine.apply_node_policies(p_node, node.schema_name);
    PERFORM engine.guard_deltas(node.schema_name);
    PERFORM engine.note_pending_vectors(ARRAY[p_node]);
END $$;

-- Fills the gaps of a node's log of changes: how a record began is written anew from what it says, other changes by an entry that says that
-- they were lost. Returns how many.
CREATE FUNCTION engine.mend_deltas(p_node uuid) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    place text := (SELECT n.schema_name FROM engine.nodes AS n WHERE n.node_id = p_node);
    filled bigint;
BEGIN
    EXECUTE format(
        'INSERT INTO %1$I.delta_log (delta_id, subject_kind, subject_id, w_coordinate, payload, authored_by, created_at, revision)
         SELECT gen_random_uuid(), l.subject_kind, l.subject_id, l.valid_from,
                CASE WHEN l.revision = 1 THEN jsonb_build_object(''operation'', ''created'', ''reason'', ''The log lost this entry; it was made anew.'',
                         ''fields'', (SELECT jsonb_object_agg(f.name, jsonb_build_object(''before'', NULL, ''after'', f.value)) FROM (VALUES
                             (''title'', r.title), (''summary'', r.summary), (''content_type'', r.content_type), (''source_id'', r.source_id)) AS f (name, value)))
                     ELSE jsonb_build_object(''operation'', ''changed'', ''fields'', jsonb_build_object(), ''reason'', ''The log lost what this change said.'') END,
                ''doctor'', l.known_from, l.revision
         FROM engine.lost_deltas($1) AS l LEFT JOIN %1$I.metadata_records AS r ON r.record_id = l.subject_id
         ON CONFLICT DO NOTHING', place) USING p_node;
    GET DIAGNOSTICS filled = ROW_COUNT;
    RETURN filled;
END $$;

-- Notes again how far the forgotten sources of a node are stored, as their sessions or versions tell; how many of them nothing tells of.
CREATE FUNCTION engine.mend_sources(p_node uuid) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    owner uuid := (SELECT n.user_id FROM engine.nodes AS n WHERE n.node_id = p_node);
BEGIN
    INSERT INTO engine.sources (user_id, source_id, units, content_hash, commit_id)
    SELECT DISTINCT ON (l.source_id) owner, CASE a.actor_kind WHEN 'persona' THEN 'persona:' || a.actor_id || ':' ELSE '' END || l.source_id,
           s.units, s.content_hash, s.commit_id
    FROM engine.lost_sources(p_node) AS l
    JOIN engine.ingest_sources AS s ON s.user_id = owner AND s.outcome = 'stored' AND s.units > 0 AND s.content_hash IS NOT NULL
         AND s.source_id IN (l.source_id, regexp_replace(l.source_id, '^conversation:', ''))
    JOIN engine.ingest_sessions AS a USING (session_id)
    ORDER BY l.source_id, s.entry_id DESC ON CONFLICT DO NOTHING;
    INSERT INTO engine.sources (user_id, source_id, units, content_hash, commit_id)
    SELECT DISTINCT ON (v.source_id) owner, v.source_id, v.version, v.content_hash, v.commit_id
    FROM engine.lost_sources(p_node) AS l JOIN engine.document_versions AS v ON v.user_id = owner AND v.source_id = l.source_id
    ORDER BY v.source_id, v.version DESC ON CONFLICT DO NOTHING;
    RETURN (SELECT count(*) FROM engine.lost_sources(p_node));
END $$;

-- Has the vectors of a node made that are lost or of the wrong size.
CREATE FUNCTION engine.mend_vectors(p_node uuid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    node_schema text := (SELECT n.schema_name FROM engine.nodes AS n WHERE n.node_id = p_node);
    version text := engine.active_embeddings();
    size integer := (SELECT v.dimension FROM engine.embedding_versions AS v WHERE v.name = version);
    vectors text := CASE engine.embedding_slot(version) WHEN 'b' THEN 'embedding_b' ELSE 'embedding' END;
    place text;
BEGIN
    FOREACH place IN ARRAY ARRAY['memory_items', 'metadata_records'] LOOP
        EXECUTE format('UPDATE %1$I.%2$I SET %3$I = NULL, %4$I = NULL WHERE %4$I = $1 AND vector_dims(%3$I) <> $2',
                       node_schema, place, vectors, vectors || '_version') USING version, size;
    END LOOP;
    PERFORM engine.note_pending_vectors(ARRAY[p_node]);
END $$;

-- Takes the present texts of a node's items for the right ones: their hashes follow, their vectors are made anew. How many.
CREATE FUNCTION engine.accept_texts(p_node uuid) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    place text := (SELECT n.schema_name FROM engine.nodes AS n WHERE n.node_id = p_node);
    accepted bigint;
BEGIN
    EXECUTE format('UPDATE %I.memory_items SET content_hash = sha256(convert_to(content, ''UTF8'')), embedding = NULL, embedding_version = NULL,'
                   ' embedding_b = NULL, embedding_b_version = NULL WHERE content_hash <> sha256(convert_to(content, ''UTF8''))', place);
    GET DIAGNOSTICS accepted = ROW_COUNT;
    PERFORM engine.note_pending_vectors(ARRAY[p_node]);
    RETURN accepted;
END $$;
REVOKE ALL ON FUNCTION engine.lost_sources, engine.lost_deltas, engine.node_contents, engine.node_files, engine.mend_node_tables,
    engine.mend_deltas, engine.mend_sources, engine.mend_vectors, engine.accept_texts FROM PUBLIC;
