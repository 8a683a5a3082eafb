-- Readers other than the user see no past from before their right, and of a file only what lies at its node.
--
--   since when   a grant shows its node from granted_at on, on both clocks, unless it says `past`. A persona's own subtree is shown from
--                its beginning. What was moved, a record or a node, is shown from the move on, wherever it came from
--   rows         a state that ended before that, on either clock, is no row for the reader. What holds now is shown, however old
--   files        a file that lies at several nodes is given to its user alone; a reader gets the passages of the node, as a part
--   deltas       from that time on; ids of nodes that may not be read, and reasons of others for moves from there, are left out
--
-- Who changes a record needs all of its past, and reads it in that transaction by the setting engine.whole_past.

-- Since when ---------------------------------------------------------------------------------------------------------

ALTER TABLE engine.grants ADD COLUMN past boolean NOT NULL DEFAULT false;

-- When a node was moved to the parent that it has; NULL: it was made there.
ALTER TABLE engine.nodes ADD COLUMN placed_at timestamptz;
UPDATE engine.nodes AS n SET placed_at = s.ended
FROM (SELECT s.node_id, s.parent_id, max(greatest(s.valid_to, s.known_to)) AS ended FROM engine.node_slices AS s GROUP BY 1, 2) AS s
WHERE s.node_id = n.node_id AND s.parent_id IS DISTINCT FROM n.parent_id;
CREATE FUNCTION engine.set_placed_at() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    NEW.placed_at := clock_timestamp();
    RETURN NEW;
END $$;
REVOKE ALL ON FUNCTION engine.set_placed_at FROM PUBLIC;
CREATE TRIGGER placed BEFORE UPDATE OF parent_id ON engine.nodes FOR EACH ROW
    WHEN (OLD.parent_id IS DISTINCT FROM NEW.parent_id) EXECUTE FUNCTION engine.set_placed_at();

-- Since when the nodes of a way down, without its top, hang where they hang.
CREATE FUNCTION engine.placed_below(p_lineage uuid[], p_top uuid) RETURNS timestamptz
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN coalesce((SELECT max(n.placed_at) FROM engine.nodes AS n
                     WHERE n.node_id = ANY (p_lineage[array_position(p_lineage, p_top) + 1 :])), '-infinity');
END $$;
REVOKE ALL ON FUNCTION engine.placed_below FROM PUBLIC;

-- Since when the grants in force cover the node for this principal; NULL where none does. `p_field` NULL asks for the node as such.
CREATE FUNCTION engine.granted_from(p_mode text, p_lineage uuid[], p_field text) RETURNS timestamptz
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kind text := engine.principal_kind();
    id uuid := engine.principal_id();
BEGIN
    RETURN (
        SELECT min(greatest(CASE WHEN g.past THEN '-infinity' ELSE g.granted_at END, engine.placed_below(p_lineage, g.node_id)))
        FROM engine.grants AS g
        WHERE g.subject_id = id AND g.node_id = ANY (p_lineage) AND g.revoked_at IS NULL
          AND g.subject_kind = kind
          AND (g.expires_at IS NULL OR g.expires_at > statement_timestamp())
          AND cardinality(p_lineage) - array_position(p_lineage, g.node_id) <= g.depth
          AND (p_mode = 'read' OR g.mode = 'read_write')
          AND (p_field IS NULL OR p_field = ANY (g.fields)));
END $$;
REVOKE ALL ON FUNCTION engine.granted_from FROM PUBLIC;

-- Is there a grant in force that covers the node for this principal?
CREATE OR REPLACE FUNCTION engine.granted(p_mode text, p_lineage uuid[], p_field text) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN engine.granted_from(p_mode, p_lineage, p_field) IS NOT NULL;
END $$;

-- Since when, on both clocks, the principal may read the node, or that kind of its content; NULL where it may not at all.
CREATE FUNCTION engine.reads_from(p_node uuid, p_field text) RETURNS timestamptz
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kind text := engine.principal_kind();
    id uuid := engine.principal_id();
    node engine.nodes;
BEGIN
    IF NOT engine.can('read', p_node, p_field) THEN
        RETURN NULL;
    END IF;
    IF kind = 'user' THEN
        RETURN '-infinity';
    END IF;
    SELECT * INTO node FROM engine.nodes AS n WHERE n.node_id = p_node;
    RETURN least(engine.granted_from('read', node.lineage, p_field),
                 CASE WHEN kind = 'persona' AND id = ANY (node.lineage) THEN engine.placed_below(node.lineage, id) END);
END $$;
REVOKE ALL ON FUNCTION engine.reads_from FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.reads_from TO neurigraph_request;

-- Whether nothing of the past of this node is left out: for its user, and while a principal that may write there changes something.
CREATE FUNCTION engine.reads_whole_past(p_node uuid) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN engine.owns(p_node) OR (current_setting('engine.whole_past', true) = 'on' AND engine.can('write', p_node, NULL));
END $$;
REVOKE ALL ON FUNCTION engine.reads_whole_past FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.reads_whole_past TO neurigraph_request;

-- The tables of a node -------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION engine.template_version() RETURNS integer LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp RETURN 7;

-- moved_at: when a record came to its node from another one. part: the file lies at other nodes, too, and holds what lies there.
ALTER TABLE template.metadata_records ADD COLUMN moved_at timestamptz;
ALTER TABLE template.memory_items ADD COLUMN moved_at timestamptz;
ALTER TABLE template.file_manifest ADD COLUMN part boolean NOT NULL DEFAULT false;

-- Writes the time of a move into the rows that were moved, in the transaction of the move.
CREATE FUNCTION engine.set_moved_at() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    place text := (SELECT n.schema_name FROM engine.nodes AS n WHERE n.node_id = NEW.node_id);
BEGIN
    EXECUTE format('UPDATE %I.metadata_records SET moved_at = $2 WHERE record_id = $1 OR version_of = $1', place) USING NEW.record_id, NEW.decided_at;
    EXECUTE format('UPDATE %I.memory_items SET moved_at = $2 WHERE record_id = $1', place) USING NEW.record_id, NEW.decided_at;
    RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION engine.set_moved_at FROM PUBLIC;
CREATE TRIGGER moved AFTER INSERT ON engine.assignments FOR EACH ROW
    WHEN (NEW.moved_from IS NOT NULL) EXECUTE FUNCTION engine.set_moved_at();

CREATE INDEX document_versions_of_file ON engine.document_versions (file_id);

-- The rights of the request role in one node's schema. Repeating it changes nothing.
CREATE OR REPLACE FUNCTION engine.apply_node_policies(p_node uuid, p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    t record;
    owned text := format('(SELECT engine.owns(%L::uuid))', p_node);
    unless_private text := format('(privacy <> ''private'' OR %s)', owned);
    unless_past text := '((known_to IS NULL AND valid_to IS NULL)'
                        ' OR least(known_to, valid_to) > greatest(moved_at, (SELECT engine.reads_from(%1$L::uuid, %2$L)))'
                        ' OR (SELECT engine.reads_whole_past(%1$L::uuid)))';
    of_a_file text := format('(%s OR EXISTS (SELECT FROM %I.metadata_records AS r WHERE r.record_id = file_manifest.record_id))', owned, p_schema);
    of_an_item text := format('(%s OR EXISTS (SELECT FROM %I.metadata_records AS r WHERE r.record_id = memory_items.record_id))', owned, p_schema);
    of_a_delta text := format('(%1$s OR EXISTS (SELECT FROM %2$I.metadata_records AS r WHERE r.record_id = delta_log.subject_id)'
                              ' OR EXISTS (SELECT FROM %2$I.memory_items AS i WHERE i.item_id = delta_log.subject_id))', owned, p_schema);
    of_a_state text := format('(%s OR NOT part AND EXISTS (SELECT FROM %I.metadata_records AS r'
                              ' WHERE (r.record_id = file_manifest.record_id OR r.version_of = file_manifest.record_id)'
                              ' AND r.file_pointer = file_manifest.storage_path AND %s))',
                              owned, p_schema, format(unless_past, p_node, 'files'));
    unless_private_unit text := format('(unit NOT LIKE ''private%%'' OR %s)', owned);
BEGIN
    FOR t IN
        SELECT * FROM (VALUES
            ('metadata_records', 'records', unless_private, unless_private, format(unless_past, p_node, 'records'), 'record_id'),
            ('memory_items', 'items', unless_private, unless_private || ' AND ' || of_an_item, format(unless_past, p_node, 'items'), 'item_id'),
            ('file_manifest', 'files', of_a_file, of_a_file, of_a_state, 'file_id'),
            ('term_counts', 'items', unless_private_unit, unless_private_unit, 'true', NULL),
            ('delta_log', NULL, owned, 'authored_by = (SELECT engine.principal_name()) AND ' || of_a_delta, 'true', NULL))
            AS v (name, field, readable, writable, past, id)
    LOOP
        EXECUTE format('DROP POLICY IF EXISTS principal ON %I.%I', p_schema, t.name);
        EXECUTE format('DROP POLICY IF EXISTS readable ON %I.%I', p_schema, t.name);
        EXECUTE format('DROP POLICY IF EXISTS writable ON %I.%I', p_schema, t.name);
        EXECUTE format('DROP POLICY IF EXISTS changeable ON %I.%I', p_schema, t.name);
        EXECUTE format('CREATE POLICY readable ON %I.%I FOR SELECT TO neurigraph_request'
                       ' USING ((SELECT engine.can(''read'', %L::uuid, %L)) AND %s AND %s)', p_schema, t.name, p_node, t.field, t.readable, t.past);
        EXECUTE format('CREATE POLICY writable ON %I.%I FOR INSERT TO neurigraph_request'
                       ' WITH CHECK ((SELECT engine.can(''write'', %L::uuid, %L)) AND %s)', p_schema, t.name, p_node, t.field, t.writable);
        CONTINUE WHEN t.name = 'delta_log';
        EXECUTE format('CREATE POLICY changeable ON %I.%I FOR UPDATE TO neurigraph_request'
                       ' USING ((SELECT engine.can(''write'', %L::uuid, %L)) AND %s AND %s)', p_schema, t.name, p_node, t.field, t.readable, t.past);
        CONTINUE WHEN t.id IS NULL;
        EXECUTE format('CREATE OR REPLACE TRIGGER keep_ids BEFORE UPDATE ON %I.%I FOR EACH ROW'
                       ' WHEN (OLD.%3$I IS DISTINCT FROM NEW.%3$I OR OLD.record_id IS DISTINCT FROM NEW.record_id)'
                       ' EXECUTE FUNCTION engine.keep_ids()', p_schema, t.name, t.id);
    END LOOP;
END $$;

-- From template 6 to 7; may be repeated.
-- The policies of 7 hold those of 6, and need its columns: a node of 5 gets both in the next step.
CREATE OR REPLACE FUNCTION engine.upgrade_node_to_6(p_node uuid, p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
END $$;
CREATE FUNCTION engine.upgrade_node_to_7(p_node uuid, p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    place text;
BEGIN
    FOREACH place IN ARRAY ARRAY['metadata_records', 'memory_items'] LOOP
        EXECUTE format('ALTER TABLE %I.%I ADD COLUMN IF NOT EXISTS moved_at timestamptz', p_schema, place);
        EXECUTE format('UPDATE %I.%I AS r SET moved_at = m.at FROM (SELECT a.record_id, max(a.decided_at) AS at FROM engine.assignments AS a'
                       ' WHERE a.node_id = $1 AND a.moved_from IS NOT NULL GROUP BY 1) AS m WHERE m.record_id = r.record_id %s',
                       p_schema, place, CASE place WHEN 'metadata_records' THEN 'OR m.record_id = r.version_of' END) USING p_node;
    END LOOP;
    EXECUTE format('ALTER TABLE %I.file_manifest ADD COLUMN IF NOT EXISTS part boolean NOT NULL DEFAULT false', p_schema);
    EXECUTE format('UPDATE %I.file_manifest AS f SET part = true WHERE EXISTS (SELECT FROM engine.document_versions AS v'
                   ' WHERE v.file_id = f.file_id AND v.document_id <> f.record_id)', p_schema);
    PERFORM engine.apply_node_policies(p_node, p_schema);
END $$;
REVOKE ALL ON FUNCTION engine.upgrade_node_to_7 FROM PUBLIC;

-- Files -------------------------------------------------------------------------------------------------------------------

-- As before, but a reader other than the user has no file of a state that ended before it may read, and no file that is shown in part.
CREATE OR REPLACE FUNCTION engine.schema_of_file(p_mode text, p_node uuid, p_file uuid) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found_schema text := (SELECT n.schema_name FROM engine.nodes AS n
                          WHERE n.node_id = p_node AND n.state = 'live' AND n.known_to IS NULL);
    allowed boolean;
BEGIN
    IF found_schema IS NOT NULL AND engine.can(p_mode, p_node, 'files') THEN
        EXECUTE format('SELECT engine.owns($2) OR r.privacy <> ''private'' AND NOT f.part AND engine.file_is_shown(%2$L, $2, f.record_id, f.storage_path)'
                       ' FROM %1$I.file_manifest AS f JOIN %1$I.metadata_records AS r USING (record_id)'
                       ' WHERE f.file_id = $1 AND r.state = ''live''', found_schema, found_schema)
        INTO allowed USING p_file, p_node;
    END IF;
    IF allowed IS NOT TRUE THEN
        RAISE EXCEPTION 'There is no such file.' USING ERRCODE = 'NG404';
    END IF;
    RETURN found_schema;
END $$;

-- Whether a state of the record that has this file is shown to the principal. For functions that have asked for the right to the node.
CREATE FUNCTION engine.file_is_shown(p_schema text, p_node uuid, p_record uuid, p_path text) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    shown boolean;
BEGIN
    EXECUTE format('SELECT EXISTS (SELECT FROM %I.metadata_records AS s WHERE (s.record_id = $1 OR s.version_of = $1) AND s.file_pointer = $2'
                   ' AND (s.known_to IS NULL AND s.valid_to IS NULL OR least(s.known_to, s.valid_to) > greatest(s.moved_at, $3)))', p_schema)
    INTO shown USING p_record, p_path, engine.reads_from(p_node, 'files');
    RETURN shown;
END $$;
REVOKE ALL ON FUNCTION engine.file_is_shown FROM PUBLIC;

-- The files of a node that the principal is shown in part: what may be told of them. None for the user, who has them whole.
CREATE FUNCTION engine.part_files(p_node uuid)
RETURNS TABLE (file_id uuid, record_id uuid, file_name text, file_type text, content_type text, storage_path text, created_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    node engine.nodes;
BEGIN
    SELECT * INTO node FROM engine.nodes AS n WHERE n.node_id = p_node AND n.state = 'live' AND n.known_to IS NULL;
    IF node.node_id IS NULL OR node.template_version < 7 OR engine.owns(p_node) OR NOT engine.can('read', p_node, 'files') THEN
        RETURN;
    END IF;
    RETURN QUERY EXECUTE format(
        'SELECT f.file_id, f.record_id, f.file_name, f.file_type, f.content_type, f.storage_path, f.created_at'
        ' FROM %1$I.file_manifest AS f JOIN %1$I.metadata_records AS r USING (record_id)'
        ' WHERE f.part AND r.state = ''live'' AND r.privacy <> ''private'' AND engine.file_is_shown(%2$L, $1, f.record_id, f.storage_path)',
        node.schema_name, node.schema_name) USING p_node;
END $$;
REVOKE ALL ON FUNCTION engine.part_files FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.part_files TO neurigraph_request;

-- The passages of a file that is shown in part: those of the version that lie at this node, in their order, one page.
CREATE FUNCTION engine.part_passages(p_node uuid, p_file uuid, p_after bigint, p_most integer)
RETURNS TABLE (place bigint, section text, content text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    shown record;
BEGIN
    SELECT f.* INTO shown FROM engine.part_files(p_node) AS f WHERE f.file_id = p_file;
    IF shown.file_id IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY EXECUTE format(
        'SELECT c.place, i.section, i.content FROM engine.document_versions AS v, unnest(v.chunks) WITH ORDINALITY AS c (item_id, place)'
        ' JOIN %I.memory_items AS i ON i.item_id = c.item_id'
        ' WHERE v.document_id = $1 AND v.file_id = $2 AND c.place > $3 AND i.record_id = $1 AND i.privacy <> ''private'''
        ' AND (i.known_to IS NULL AND i.valid_to IS NULL OR least(i.known_to, i.valid_to) > greatest(i.moved_at, $5))'
        ' ORDER BY c.place LIMIT $4', (SELECT n.schema_name FROM engine.nodes AS n WHERE n.node_id = p_node))
    USING shown.record_id, p_file, p_after, p_most, engine.reads_from(p_node, 'files');
END $$;
REVOKE ALL ON FUNCTION engine.part_passages FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.part_passages TO neurigraph_request;

-- Documents ----------------------------------------------------------------------------------------------------------------

-- Whether a version of a document is shown to a persona that stored it: where it lies now must be readable, and the version must not
-- have been followed by another one before that.
CREATE FUNCTION engine.version_is_shown(p_document uuid, p_version integer) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    node uuid := (SELECT d.node_id FROM engine.documents AS d WHERE d.document_id = p_document);
    since timestamptz := greatest(engine.reads_from(node, 'records'), (
        SELECT max(a.decided_at) FROM engine.assignments AS a WHERE a.record_id = p_document AND a.moved_from IS NOT NULL));
BEGIN
    RETURN engine.can('read', node, 'records') AND NOT EXISTS (
        SELECT FROM engine.document_versions AS v WHERE v.document_id = p_document AND v.version > p_version AND v.known_at <= since);
END $$;
REVOKE ALL ON FUNCTION engine.version_is_shown FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.version_is_shown TO neurigraph_request;

DROP POLICY own ON engine.documents;
CREATE POLICY own ON engine.documents FOR SELECT TO neurigraph_request
    USING (user_id = (SELECT engine.principal_graph()) AND starts_with(source_id, (SELECT engine.own_keys()))
           AND (user_id = (SELECT engine.principal_user()) OR engine.can('read', node_id, 'records')));
DROP POLICY own ON engine.document_versions;
CREATE POLICY own ON engine.document_versions FOR SELECT TO neurigraph_request
    USING (user_id = (SELECT engine.principal_graph()) AND starts_with(source_id, (SELECT engine.own_keys()))
           AND (user_id = (SELECT engine.principal_user()) OR engine.version_is_shown(document_id, version)));

-- Deltas ---------------------------------------------------------------------------------------------------------------------

-- A delta's payload as it is told to a reader other than the user: nodes that may not be read are left out, and what others gave as
-- their reason for a move from or to there; values that held only before p_since, too.
CREATE FUNCTION engine.told_payload(p_payload jsonb, p_effect timestamptz, p_author text, p_since timestamptz) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    own boolean := p_author = engine.principal_kind() || ':' || engine.principal_id();
    told jsonb := p_payload;
    part text;
BEGIN
    IF p_payload ->> 'operation' = 'moved' THEN
        FOREACH part IN ARRAY ARRAY['before', 'after'] LOOP
            CONTINUE WHEN engine.can('read', (p_payload #>> ARRAY['fields', 'node_id', part])::uuid, NULL);
            told := jsonb_set(told, ARRAY['fields', 'node_id', part], 'null');
            told := CASE WHEN own THEN told ELSE jsonb_set(told, '{reason}', '""') END;
        END LOOP;
    ELSIF p_effect < p_since THEN
        told := jsonb_set(told, '{fields}', coalesce((
            SELECT jsonb_object_agg(f.key, jsonb_build_object('before', NULL, 'after', CASE WHEN own THEN f.value -> 'after' END))
            FROM jsonb_each(p_payload -> 'fields') AS f), '{}'));
    END IF;
    RETURN told;
END $$;
REVOKE ALL ON FUNCTION engine.told_payload FROM PUBLIC;

-- As before, but for others than the user from the time on from which they may read it, without what is not theirs to know.
CREATE OR REPLACE FUNCTION engine.subject_deltas(p_node uuid, p_subject uuid, p_after integer, p_most integer)
RETURNS TABLE (delta_id uuid, subject_kind text, subject_id uuid, revision integer, w_coordinate timestamptz, payload jsonb,
               authored_by text, created_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    node_schema text := (SELECT n.schema_name FROM engine.nodes AS n WHERE n.node_id = p_node);
    whole boolean := engine.reads_whole_past(p_node);
    others boolean;
    since timestamptz;
BEGIN
    IF node_schema IS NULL OR NOT engine.can('write', p_node) THEN
        RETURN;
    END IF;
    EXECUTE format('SELECT count(*) > 0, greatest(max(s.moved_at), engine.reads_from($2, ''records'')) FROM ('
                   'SELECT moved_at FROM %1$I.metadata_records WHERE record_id = $1 AND privacy <> ''private'''
                   ' UNION ALL SELECT moved_at FROM %1$I.memory_items WHERE item_id = $1 AND privacy <> ''private'') AS s', node_schema)
    INTO others, since USING p_subject, p_node;
    IF others OR engine.owns(p_node) THEN
        RETURN QUERY EXECUTE format(
            'SELECT delta_id, subject_kind, subject_id, revision, w_coordinate,'
            ' CASE WHEN $4 THEN payload ELSE engine.told_payload(payload, w_coordinate, authored_by, $5) END,'
            ' CASE WHEN $4 OR authored_by NOT LIKE ''persona:%%'' OR engine.can(''read'', substr(authored_by, 9)::uuid, NULL)'
            ' THEN authored_by ELSE ''persona'' END, created_at'
            ' FROM %I.delta_log WHERE subject_id = $1 AND revision > $2 AND ($4 OR created_at >= $5) ORDER BY revision LIMIT $3', node_schema)
        USING p_subject, p_after, p_most, whole, since;
    END IF;
END $$;

-- Search ---------------------------------------------------------------------------------------------------------------------

-- As before, but what was moved is found by others than the user at moments from the move on.
CREATE OR REPLACE FUNCTION engine.search_scan(p_nodes uuid[], p_schemas text[], p_templates integer[], p_query vector, p_version text,
                                   p_items sparsevec, p_records sparsevec, p_kinds text[], p_sources text[], p_scopes text[],
                                   p_as_of timestamptz, p_known_at timestamptz)
RETURNS TABLE (node_id uuid, schema_name text, item_id uuid, kind text, session uuid, "position" integer,
               words float8, meaning float8, record_words float8)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp SET enable_nestloop = off AS $$
DECLARE
    place integer;
    slot text := engine.embedding_slot(p_version);
    template integer;
BEGIN
    FOR place IN 1 .. coalesce(array_length(p_nodes, 1), 0) LOOP
        template := p_templates[place];
        CONTINUE WHEN pg_relation_size(format('%I.memory_items', p_schemas[place])::regclass) = 0
                 OR template < 5 AND 'ingested' <> ALL (p_sources);
        RETURN QUERY EXECUTE format(
            'SELECT $1, $2, i.item_id, i.kind, i.session, i.position, -(i.terms <#> $5), %3$s, r.words
             FROM %1$I.memory_items AS i
             JOIN (SELECT %2$s AS record_id, -(terms <#> $6) AS words FROM %1$I.metadata_records
                   WHERE state = ''live'' AND valid_from <= $8 AND (valid_to IS NULL OR valid_to > $8)
                     AND known_from <= $9 AND (known_to IS NULL OR known_to > $9) %4$s %6$s OFFSET 0) AS r USING (record_id)
             WHERE ($7 IS NULL OR i.kind = ANY ($7)) AND (i.category <> ''whole'' OR i.kind = ANY ($7)) AND i.valid_from <= $8 AND (i.valid_to IS NULL OR i.valid_to > $8)
               AND i.known_from <= $9 AND (i.known_to IS NULL OR i.known_to > $9) %5$s',
            p_schemas[place], CASE WHEN template >= 3 THEN 'coalesce(version_of, record_id)' ELSE 'record_id' END,
            CASE WHEN slot = 'a' THEN 'CASE WHEN i.embedding_version = $4 THEN -(i.embedding <#> $3) END'
                 WHEN slot = 'b' AND template >= 4 THEN 'CASE WHEN i.embedding_b_version = $4 THEN -(i.embedding_b <#> $3) END'
                 ELSE 'NULL::float8' END,
            CASE WHEN template >= 5 THEN 'AND (scope = ''user'' OR scope || '':'' || scope_id = ANY ($11))' END,
            CASE WHEN template >= 5 AND p_sources IS NOT NULL THEN 'AND i.source = ANY ($10)' END,
            CASE WHEN template >= 7 AND NOT engine.owns(p_nodes[place]) THEN 'AND (moved_at IS NULL OR moved_at <= least($8, $9))' END)
        USING p_nodes[place], p_schemas[place], p_query, p_version, p_items, p_records, p_kinds, p_as_of, p_known_at, p_sources, p_scopes;
    END LOOP;
END $$;

-- As before, with files that are shown in part; they are rendered when they are opened, and never sleep.
CREATE OR REPLACE FUNCTION engine.search_contents(p_schema text, p_template integer, p_items uuid[], p_as_of timestamptz, p_known_at timestamptz)
RETURNS TABLE (row_id uuid, item_id uuid, record_id uuid, source_ref text, speaker text, content text, occurred_at timestamptz,
               dates text[], is_question boolean, previous_has_question boolean, first_of_session boolean,
               first_person boolean, word_count integer, time_expressions smallint, section text, record_title text,
               record_summary text, content_type text, file_id uuid, file_name text, file_state text, scope text, scope_id text, source text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    node uuid := (SELECT n.node_id FROM engine.nodes AS n WHERE n.schema_name = p_schema);
BEGIN
    RETURN QUERY EXECUTE format(
        'SELECT i.item_id, %2$s, i.record_id, i.source_ref, i.speaker, i.content, i.occurred_at, i.dates, i.is_question,
                i.previous_has_question, i.first_of_session, i.first_person, i.word_count, i.time_expressions, i.section,
                r.title, r.summary, r.content_type, coalesce(f.file_id, p.file_id), coalesce(f.file_name, p.file_name),
                coalesce(f.compression_state, CASE WHEN p.file_id IS NOT NULL THEN ''active'' END), %4$s
         FROM %1$I.memory_items AS i
         JOIN %1$I.metadata_records AS r ON %3$s AND r.valid_from <= $2 AND (r.valid_to IS NULL OR r.valid_to > $2)
              AND r.known_from <= $3 AND (r.known_to IS NULL OR r.known_to > $3)
         LEFT JOIN (SELECT DISTINCT ON (m.record_id, m.storage_path) m.* FROM %1$I.file_manifest AS m
                    WHERE m.record_id = ANY (ARRAY(SELECT record_id FROM %1$I.memory_items WHERE item_id = ANY ($1)))
                    ORDER BY m.record_id, m.storage_path, m.created_at, m.file_id) AS f
              ON f.record_id = i.record_id AND f.storage_path = r.file_pointer
         LEFT JOIN engine.part_files($4) AS p ON p.record_id = i.record_id AND p.storage_path = r.file_pointer
         WHERE i.item_id = ANY ($1)', p_schema,
        CASE WHEN p_template >= 3 THEN 'coalesce(i.version_of, i.item_id)' ELSE 'i.item_id' END,
        CASE WHEN p_template >= 3 THEN '(r.record_id = i.record_id OR r.version_of = i.record_id)' ELSE 'r.record_id = i.record_id' END,
        CASE WHEN p_template >= 5 THEN 'i.scope, i.scope_id, i.source' ELSE '''user'', NULL::text, ''ingested''' END)
    USING p_items, p_as_of, p_known_at, node;
END $$;

-- The names from the root down to a node at a moment, as before; of those that the principal may read as they were then.
CREATE OR REPLACE FUNCTION engine.path_at(p_node uuid, p_as_of timestamptz, p_known_at timestamptz) RETURNS text[]
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
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
    FROM up JOIN engine.nodes AS n USING (node_id)
    WHERE engine.reads_from(n.node_id, NULL) <= least(p_as_of, p_known_at);
END;

-- Grants -----------------------------------------------------------------------------------------------------------------------

-- As before, with `past`: whether the node is shown as it was before the grant, too.
DROP FUNCTION engine.grant_node;
CREATE FUNCTION engine.grant_node(p_grant uuid, p_node uuid, p_kind text, p_subject uuid, p_mode text, p_depth integer,
                                  p_fields text[], p_purpose text, p_expires_at timestamptz, p_past boolean)
RETURNS TABLE (grant_id uuid, granted_at timestamptz, created boolean, payload jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    owner uuid := engine.principal_user();
    made engine.grants;
    message jsonb;
BEGIN
    IF NOT engine.owns(p_node)
       OR NOT EXISTS (SELECT FROM engine.nodes AS n WHERE n.node_id = p_node AND n.state = 'live' AND n.known_to IS NULL)
       OR NOT (CASE p_kind
            WHEN 'persona' THEN EXISTS (SELECT FROM engine.nodes AS n WHERE n.node_id = p_subject AND n.user_id = owner
                                        AND n.node_type = 'persona' AND n.state = 'live')
            WHEN 'third_party' THEN EXISTS (SELECT FROM engine.integrations AS i JOIN engine.users AS u USING (workspace_id)
                                            WHERE i.integration_id = p_subject AND u.user_id = owner)
            ELSE false END) THEN
        RAISE EXCEPTION 'There is no such node.' USING ERRCODE = 'NG404';
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended(p_node::text || p_subject::text, 0));
    SELECT * INTO made FROM engine.grants AS g
    WHERE g.node_id = p_node AND g.subject_kind = p_kind AND g.subject_id = p_subject AND g.mode = p_mode AND g.depth = p_depth
      AND g.fields = p_fields AND g.purpose = p_purpose AND g.expires_at IS NOT DISTINCT FROM p_expires_at AND g.past = p_past
      AND g.revoked_at IS NULL AND (g.expires_at IS NULL OR g.expires_at > statement_timestamp());
    IF made.grant_id IS NOT NULL THEN
        RETURN QUERY SELECT made.grant_id, made.granted_at, false, (SELECT o.payload FROM engine.outbox AS o WHERE o.commit_id = made.grant_id);
        RETURN;
    END IF;
    INSERT INTO engine.grants (grant_id, user_id, node_id, subject_kind, subject_id, mode, depth, fields, purpose, expires_at, past)
    VALUES (p_grant, owner, p_node, p_kind, p_subject, p_mode, p_depth, p_fields, p_purpose, p_expires_at, p_past) RETURNING * INTO made;
    INSERT INTO engine.access_log (event, user_id, node_id, actor_kind, actor_id, subject_kind, subject_id, grant_id, detail)
    VALUES ('granted', owner, p_node, 'user', owner, p_kind, p_subject, p_grant,
            format('%s, depth %s, %s%s%s', p_mode, p_depth, array_to_string(p_fields, ' '), CASE WHEN p_past THEN ', with the past' END,
                   coalesce(', until ' || p_expires_at, '')));
    message := jsonb_build_object('grant', jsonb_build_object(
        'grant_id', p_grant, 'node_id', p_node, 'subject_id', p_subject, 'subject_kind', p_kind, 'mode', p_mode, 'depth', p_depth,
        'fields', p_fields, 'expires_at', to_char(p_expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        'granted_at', to_char(made.granted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'past', p_past));
    INSERT INTO engine.outbox (commit_id, user_id, kind, payload) VALUES (p_grant, owner, 'granted', message);
    RETURN QUERY SELECT p_grant, made.granted_at, true, message;
END $$;
REVOKE ALL ON FUNCTION engine.grant_node FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.grant_node TO neurigraph_request;

-- Who could see a node at a time, as before; `past`: also as it was before the right began.
DROP FUNCTION engine.audience;
CREATE FUNCTION engine.audience(p_node uuid, p_at timestamptz)
RETURNS TABLE (subject_kind text, subject_id uuid, subject_name text, reason text, mode text, depth integer, fields text[], grant_id uuid,
               past boolean)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    node engine.nodes;
BEGIN
    SELECT * INTO node FROM engine.nodes AS n WHERE n.node_id = p_node AND n.user_id = engine.principal_user();
    IF node.node_id IS NULL THEN
        RAISE EXCEPTION 'There is no such node.' USING ERRCODE = 'NG404';
    END IF;
    RETURN QUERY
        SELECT 'user', u.user_id, u.display_name, 'owner', 'read_write', 5, '{records,items,files}'::text[], NULL::uuid, true
        FROM engine.users AS u WHERE u.user_id = node.user_id AND node.created_at <= p_at
        UNION ALL
        SELECT 'persona', n.node_id, n.name, 'own subtree', 'read', 5, '{records,items,files}'::text[], NULL::uuid, true
        FROM engine.nodes AS n WHERE n.node_id = ANY (node.lineage) AND n.node_type = 'persona' AND node.created_at <= p_at
        UNION ALL
        SELECT g.subject_kind, g.subject_id, coalesce(i.name, n.name), 'grant', g.mode, g.depth::integer, g.fields, g.grant_id, g.past
        FROM engine.grants AS g
        LEFT JOIN engine.integrations AS i ON i.integration_id = g.subject_id
        LEFT JOIN engine.nodes AS n ON n.node_id = g.subject_id
        WHERE g.node_id = ANY (node.lineage) AND node.created_at <= p_at
          AND cardinality(node.lineage) - array_position(node.lineage, g.node_id) <= g.depth
          AND g.granted_at <= p_at AND (g.revoked_at IS NULL OR g.revoked_at > p_at) AND (g.expires_at IS NULL OR g.expires_at > p_at)
        ORDER BY 1 DESC, 3 LIMIT 10000;
END $$;
REVOKE ALL ON FUNCTION engine.audience FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.audience TO neurigraph_request;
