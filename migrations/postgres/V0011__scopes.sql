-- Scopes and sources: to what a record and its items belong, and how they came in.
--
--   scope   user       part of the user's memory everywhere
--           thread, workflow   belongs to the one that scope_id names
--   source  ingested   came in with a conversation or a file
--           manual     written by hand
--           extracted  derived from what was stored, by the engine or a model
--
-- Who may read it. What is scoped is private, and a CHECK holds that; so whatever guards what is private guards it too: the
-- policies of every table, the counts of words, the counts and manifests of the graph, deltas and files. A persona or an
-- integration cannot ask "as somebody who works in that thread": an id of a thread is no secret, and whoever names one would
-- be let in. Only the user reads and writes within a scope.
--
-- What a search looks at is not a matter of rights: it names scopes (thread:a1, workflow:w7) beside what is the user's, and looks
-- at no other. It can only take rows away from what the policies give.

CREATE OR REPLACE FUNCTION engine.template_version() RETURNS integer LANGUAGE sql IMMUTABLE RETURN 5;

ALTER TABLE template.metadata_records
    ADD COLUMN scope text NOT NULL DEFAULT 'user' CHECK (scope IN ('user', 'thread', 'workflow')),
    ADD COLUMN scope_id text CHECK (char_length(scope_id) BETWEEN 1 AND 200),
    ADD COLUMN source text NOT NULL DEFAULT 'ingested' CHECK (source IN ('manual', 'extracted', 'ingested')),
    ADD CONSTRAINT scope_has_id CHECK ((scope = 'user') = (scope_id IS NULL)),
    ADD CONSTRAINT scoped_is_private CHECK (scope = 'user' OR privacy = 'private');
ALTER TABLE template.memory_items
    ADD COLUMN scope text NOT NULL DEFAULT 'user' CHECK (scope IN ('user', 'thread', 'workflow')),
    ADD COLUMN scope_id text CHECK (char_length(scope_id) BETWEEN 1 AND 200),
    ADD COLUMN source text NOT NULL DEFAULT 'ingested' CHECK (source IN ('manual', 'extracted', 'ingested')),
    ADD CONSTRAINT scope_has_id CHECK ((scope = 'user') = (scope_id IS NULL)),
    ADD CONSTRAINT scoped_is_private CHECK (scope = 'user' OR privacy = 'private');
-- Words of what is scoped are counted apart: outside of scopes they do not make a word less rare.
ALTER TABLE template.term_counts DROP CONSTRAINT term_counts_unit_check,
    ADD CONSTRAINT term_counts_unit_check CHECK (unit IN (
        'turn', 'passage', 'record', 'private turn', 'private passage', 'private record',
        'private scoped turn', 'private scoped passage', 'private scoped record'));

-- From template 4 to 5; may be repeated.
CREATE FUNCTION engine.upgrade_node_to_5(p_node uuid, p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
    place text;
BEGIN
    FOREACH place IN ARRAY ARRAY['metadata_records', 'memory_items'] LOOP
        EXECUTE format('ALTER TABLE %I.%I'
                       ' ADD COLUMN IF NOT EXISTS scope text NOT NULL DEFAULT ''user'' CHECK (scope IN (''user'', ''thread'', ''workflow'')),'
                       ' ADD COLUMN IF NOT EXISTS scope_id text CHECK (char_length(scope_id) BETWEEN 1 AND 200),'
                       ' ADD COLUMN IF NOT EXISTS source text NOT NULL DEFAULT ''ingested'' CHECK (source IN (''manual'', ''extracted'', ''ingested'')),'
                       ' DROP CONSTRAINT IF EXISTS scope_has_id, ADD CONSTRAINT scope_has_id CHECK ((scope = ''user'') = (scope_id IS NULL)),'
                       ' DROP CONSTRAINT IF EXISTS scoped_is_private, ADD CONSTRAINT scoped_is_private CHECK (scope = ''user'' OR privacy = ''private'')', p_schema, place);
    END LOOP;
    EXECUTE format('ALTER TABLE %I.term_counts DROP CONSTRAINT term_counts_unit_check,'
                   ' ADD CONSTRAINT term_counts_unit_check CHECK (unit IN (''turn'', ''passage'', ''record'','
                   ' ''private turn'', ''private passage'', ''private record'','
                   ' ''private scoped turn'', ''private scoped passage'', ''private scoped record''))', p_schema);
    EXECUTE format('UPDATE %I.memory_items SET source = ''extracted'' WHERE kind IN (''fact'', ''observation'', ''summary'')', p_schema);
END $$;
REVOKE ALL ON FUNCTION engine.upgrade_node_to_5 FROM PUBLIC;

-- Refuses (NG426) where one of these nodes has tables of an older version: what is scoped needs those of now.
CREATE FUNCTION engine.require_current(p_nodes uuid[]) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
BEGIN
    IF EXISTS (SELECT FROM engine.nodes AS n WHERE n.node_id = ANY (p_nodes) AND n.template_version < engine.template_version()) THEN
        RAISE EXCEPTION 'A node is of an older version.' USING ERRCODE = 'NG426';
    END IF;
END $$;
REVOKE ALL ON FUNCTION engine.require_current FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.require_current TO neurigraph_request;

-- Where a search looks, as before, and of which version the tables there are: what an older one has not got is not asked for.
DROP FUNCTION engine.search_nodes;
CREATE FUNCTION engine.search_nodes(p_user uuid, p_nodes uuid[], p_as_of timestamptz, p_known_at timestamptz, p_most integer)
RETURNS TABLE (node_id uuid, schema_name text, template_version integer)
LANGUAGE sql STABLE SET search_path = pg_catalog
BEGIN ATOMIC
    SELECT n.node_id, n.schema_name, n.template_version
    FROM engine.nodes AS n
    WHERE n.user_id = p_user AND (p_nodes IS NULL OR n.node_id = ANY (p_nodes)) AND n.state = 'live'
      AND n.valid_from <= p_as_of AND (n.valid_to IS NULL OR n.valid_to > p_as_of)
      AND n.known_from <= p_known_at AND (n.known_to IS NULL OR n.known_to > p_known_at)
    ORDER BY n.layer, n.created_at, n.node_id
    LIMIT p_most;
END;

-- As before, but for two things: every unit that ends in "record" counts records, also that of what is scoped; and what is
-- scoped does not count in a search that names no scope.
DROP FUNCTION engine.search_vectors;
CREATE FUNCTION engine.search_vectors(p_schemas text[], p_terms integer[], p_scopes text[])
RETURNS TABLE (items sparsevec, records sparsevec)
LANGUAGE sql STABLE SET search_path = pg_catalog, public AS $$
    WITH counted AS (
        SELECT unit LIKE '%record' AS of_records, term, sum(documents)::float8 AS documents
        FROM engine.search_counts(p_schemas, p_terms || 0)
        WHERE unit NOT LIKE 'private scoped%' OR cardinality(p_scopes) > 0
        GROUP BY 1, 2
    ), weighed AS (
        SELECT t.of_records, string_agg(t.term || ':' || ln(1 + greatest(0, n.documents - t.documents + 0.5) / (t.documents + 0.5)),
                                        ',' ORDER BY t.term) AS entries
        FROM counted AS t
        JOIN counted AS n ON n.of_records = t.of_records AND n.term = 0
        WHERE t.term > 0 AND t.documents > 0
        GROUP BY t.of_records
    )
    SELECT ('{' || coalesce(max(entries) FILTER (WHERE NOT of_records), '') || '}/1000000')::sparsevec,
           ('{' || coalesce(max(entries) FILTER (WHERE of_records), '') || '}/1000000')::sparsevec
    FROM weighed
$$;

-- One scan per node: words and meaning of every item together, and the words of its record. Only items of live records, as
-- they were at the moment, of the scopes that are named and the user's own, and that came in in one of p_sources (NULL: all).
-- Vectors of another version are not compared: meaning is NULL then. p_templates: the versions of the tables (search_nodes).
DROP FUNCTION engine.search_scan;
CREATE FUNCTION engine.search_scan(p_nodes uuid[], p_schemas text[], p_templates integer[], p_query vector, p_version text,
                                   p_items sparsevec, p_records sparsevec, p_kinds text[], p_sources text[], p_scopes text[],
                                   p_as_of timestamptz, p_known_at timestamptz)
RETURNS TABLE (node_id uuid, schema_name text, item_id uuid, kind text, session uuid, "position" integer,
               words float8, meaning float8, record_words float8)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public AS $$
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
                     AND known_from <= $9 AND (known_to IS NULL OR known_to > $9) %4$s OFFSET 0) AS r USING (record_id)
             WHERE ($7 IS NULL OR i.kind = ANY ($7)) AND i.valid_from <= $8 AND (i.valid_to IS NULL OR i.valid_to > $8)
               AND i.known_from <= $9 AND (i.known_to IS NULL OR i.known_to > $9) %5$s',
            p_schemas[place], CASE WHEN template >= 3 THEN 'coalesce(version_of, record_id)' ELSE 'record_id' END,
            CASE WHEN slot = 'a' THEN 'CASE WHEN i.embedding_version = $4 THEN -(i.embedding <#> $3) END'
                 WHEN slot = 'b' AND template >= 4 THEN 'CASE WHEN i.embedding_b_version = $4 THEN -(i.embedding_b <#> $3) END'
                 ELSE 'NULL::float8' END,
            CASE WHEN template >= 5 THEN 'AND (scope = ''user'' OR scope || '':'' || scope_id = ANY ($11))' END,
            CASE WHEN template >= 5 AND p_sources IS NOT NULL THEN 'AND i.source = ANY ($10)' END)
        USING p_nodes[place], p_schemas[place], p_query, p_version, p_items, p_records, p_kinds, p_as_of, p_known_at, p_sources, p_scopes;
    END LOOP;
END $$;

-- What a reader is shown of chosen items (`row_id`: of the slice that was found): the item, its record at the moment, its file,
-- to what they belong and how they came in.
DROP FUNCTION engine.search_contents;
CREATE FUNCTION engine.search_contents(p_schema text, p_template integer, p_items uuid[], p_as_of timestamptz, p_known_at timestamptz)
RETURNS TABLE (row_id uuid, item_id uuid, record_id uuid, source_ref text, speaker text, content text, occurred_at timestamptz,
               dates text[], is_question boolean, previous_has_question boolean, first_of_session boolean,
               first_person boolean, word_count integer, time_expressions smallint, section text, record_title text,
               record_summary text, content_type text, file_id uuid, file_name text, file_state text, scope text, scope_id text, source text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
BEGIN
    RETURN QUERY EXECUTE format(
        'SELECT i.item_id, %2$s, i.record_id, i.source_ref, i.speaker, i.content, i.occurred_at, i.dates, i.is_question,
                i.previous_has_question, i.first_of_session, i.first_person, i.word_count, i.time_expressions, i.section,
                r.title, r.summary, r.content_type, f.file_id, f.file_name, f.compression_state, %4$s
         FROM %1$I.memory_items AS i
         JOIN %1$I.metadata_records AS r ON %3$s AND r.valid_from <= $2 AND (r.valid_to IS NULL OR r.valid_to > $2)
              AND r.known_from <= $3 AND (r.known_to IS NULL OR r.known_to > $3)
         LEFT JOIN (SELECT DISTINCT ON (m.record_id) m.* FROM %1$I.file_manifest AS m
                    WHERE m.record_id = ANY (ARRAY(SELECT record_id FROM %1$I.memory_items WHERE item_id = ANY ($1)))
                    ORDER BY m.record_id, m.created_at, m.file_id) AS f ON f.record_id = i.record_id
         WHERE i.item_id = ANY ($1)', p_schema,
        CASE WHEN p_template >= 3 THEN 'coalesce(i.version_of, i.item_id)' ELSE 'i.item_id' END,
        CASE WHEN p_template >= 3 THEN '(r.record_id = i.record_id OR r.version_of = i.record_id)' ELSE 'r.record_id = i.record_id' END,
        CASE WHEN p_template >= 5 THEN 'i.scope, i.scope_id, i.source' ELSE '''user'', NULL::text, ''ingested''' END)
    USING p_items, p_as_of, p_known_at;
END $$;
DROP FUNCTION engine.has_slices, engine.has_slot_b;
REVOKE ALL ON FUNCTION engine.search_nodes, engine.search_vectors, engine.search_scan, engine.search_contents FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.search_nodes, engine.search_vectors, engine.search_scan, engine.search_contents TO neurigraph_request;
