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
-- What a search looks at is not a matter of rights: it is narrowed by engine.searched, a setting of the transaction, which
-- can only take rows away. Where it is not set nothing is narrowed.

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

-- Does this node's schema know scopes yet? One that does not holds only what is the user's and was ingested.
CREATE FUNCTION engine.has_scopes(p_schema text) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog
RETURN EXISTS (SELECT FROM pg_attribute AS a
               WHERE a.attrelid = to_regclass(format('%I.memory_items', p_schema)) AND a.attname = 'scope_id');

-- What the search of this transaction looks at, as {"scopes": ["thread:a1"], "sources": ["manual"] or null}. Outside of a
-- search both are NULL: nothing is narrowed. Scopes are beside the user's own, which is always searched.
CREATE FUNCTION engine.searched_scopes() RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog
RETURN CASE WHEN coalesce(current_setting('engine.searched', true), '') <> ''
            THEN ARRAY(SELECT jsonb_array_elements_text(current_setting('engine.searched', true)::jsonb -> 'scopes')) END;
CREATE FUNCTION engine.searched_sources() RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog
RETURN CASE WHEN coalesce(current_setting('engine.searched', true), '') <> ''
                 AND jsonb_typeof(current_setting('engine.searched', true)::jsonb -> 'sources') = 'array'
            THEN ARRAY(SELECT jsonb_array_elements_text(current_setting('engine.searched', true)::jsonb -> 'sources')) END;
REVOKE ALL ON FUNCTION engine.has_scopes, engine.searched_scopes, engine.searched_sources FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.has_scopes, engine.searched_scopes, engine.searched_sources TO neurigraph_request;

-- What a search does not look at. Restrictive: rows are taken away from what the other policies give. An item is found with
-- its record only, so its scope is that of the record; the source is its own, since items are derived from others' records.
CREATE FUNCTION engine.apply_search_policies(p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
    t record;
BEGIN
    FOR t IN
        SELECT * FROM (VALUES
            ('metadata_records', 'scope = ''user'' OR (SELECT engine.searched_scopes()) IS NULL'
                                 ' OR scope || '':'' || scope_id = ANY ((SELECT engine.searched_scopes())::text[])'),
            ('memory_items', '(SELECT engine.searched_sources()) IS NULL'
                             ' OR source = ANY ((SELECT engine.searched_sources())::text[])'),
            ('term_counts', 'unit NOT LIKE ''private scoped%'' OR (SELECT engine.searched_scopes()) IS NULL'
                            ' OR (SELECT engine.searched_scopes()) <> ''{}''')) AS v (name, searched)
    LOOP
        EXECUTE format('DROP POLICY IF EXISTS searched ON %I.%I', p_schema, t.name);
        EXECUTE format('CREATE POLICY searched ON %I.%I AS RESTRICTIVE FOR SELECT TO neurigraph_request USING (%s)',
                       p_schema, t.name, t.searched);
    END LOOP;
END $$;
REVOKE ALL ON FUNCTION engine.apply_search_policies FROM PUBLIC;

ALTER FUNCTION engine.apply_node_policies(uuid, text) RENAME TO apply_access_policies;
CREATE FUNCTION engine.apply_node_policies(p_node uuid, p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
    PERFORM engine.apply_access_policies(p_node, p_schema);
    IF engine.has_scopes(p_schema) THEN
        PERFORM engine.apply_search_policies(p_schema);
    END IF;
END $$;
REVOKE ALL ON FUNCTION engine.apply_node_policies FROM PUBLIC;

-- From template 4 to 5.
CREATE FUNCTION engine.upgrade_node_to_5(p_node uuid, p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
    place text;
BEGIN
    FOREACH place IN ARRAY ARRAY['metadata_records', 'memory_items'] LOOP
        EXECUTE format('ALTER TABLE %I.%I'
                       ' ADD COLUMN scope text NOT NULL DEFAULT ''user'' CHECK (scope IN (''user'', ''thread'', ''workflow'')),'
                       ' ADD COLUMN scope_id text CHECK (char_length(scope_id) BETWEEN 1 AND 200),'
                       ' ADD COLUMN source text NOT NULL DEFAULT ''ingested'' CHECK (source IN (''manual'', ''extracted'', ''ingested'')),'
                       ' ADD CONSTRAINT scope_has_id CHECK ((scope = ''user'') = (scope_id IS NULL)),'
                       ' ADD CONSTRAINT scoped_is_private CHECK (scope = ''user'' OR privacy = ''private'')', p_schema, place);
    END LOOP;
    EXECUTE format('ALTER TABLE %I.term_counts DROP CONSTRAINT term_counts_unit_check,'
                   ' ADD CONSTRAINT term_counts_unit_check CHECK (unit IN (''turn'', ''passage'', ''record'','
                   ' ''private turn'', ''private passage'', ''private record'','
                   ' ''private scoped turn'', ''private scoped passage'', ''private scoped record''))', p_schema);
    EXECUTE format('UPDATE %I.memory_items SET source = ''extracted'' WHERE kind IN (''fact'', ''observation'', ''summary'')', p_schema);
    PERFORM engine.apply_search_policies(p_schema);
END $$;
REVOKE ALL ON FUNCTION engine.upgrade_node_to_5 FROM PUBLIC;

-- Refuses (NG426) where one of these nodes has tables of an older version: a write needs those of now.
CREATE FUNCTION engine.require_current(p_nodes uuid[]) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
BEGIN
    IF EXISTS (SELECT FROM engine.nodes AS n WHERE n.node_id = ANY (p_nodes) AND n.template_version < engine.template_version()) THEN
        RAISE EXCEPTION 'A node is of an older version.' USING ERRCODE = 'NG426';
    END IF;
END $$;
REVOKE ALL ON FUNCTION engine.require_current FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.require_current TO neurigraph_request;

-- As before, but for one thing: every unit that ends in "record" counts records, also that of what is scoped.
CREATE OR REPLACE FUNCTION engine.search_vectors(p_schemas text[], p_terms integer[])
RETURNS TABLE (items sparsevec, records sparsevec)
LANGUAGE sql STABLE SET search_path = pg_catalog, public AS $$
    WITH counted AS (
        SELECT unit LIKE '%record' AS of_records, term, sum(documents)::float8 AS documents
        FROM engine.search_counts(p_schemas, p_terms || 0)
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

-- To what found items belong (`row_id`: of the slice that was found).
CREATE FUNCTION engine.search_origins(p_schema text, p_items uuid[])
RETURNS TABLE (row_id uuid, scope text, scope_id text, source text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
BEGIN
    IF engine.has_scopes(p_schema) THEN
        RETURN QUERY EXECUTE format('SELECT i.item_id, i.scope, i.scope_id, i.source FROM %I.memory_items AS i'
                                    ' WHERE i.item_id = ANY ($1)', p_schema) USING p_items;
    ELSE
        RETURN QUERY SELECT i, 'user', NULL::text, 'ingested' FROM unnest(p_items) AS i;
    END IF;
END $$;
REVOKE ALL ON FUNCTION engine.search_origins FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.search_origins TO neurigraph_request;
