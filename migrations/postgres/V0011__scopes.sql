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
-- What a search looks at is not a matter of rights: engine.searched_scopes, a setting of the transaction,
-- narrows it, and can only take rows away. Where it is not set nothing is narrowed.

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

REVOKE ALL ON FUNCTION engine.has_scopes FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.has_scopes TO neurigraph_request;

-- What a search does not look at: records of scopes that it does not name, and so their items, which are found with their
-- record only. Restrictive: rows are taken away from what the other policies give. The setting holds ["thread:a1", ...], the
-- scopes that are searched beside the user's own; empty or unset, outside of a search, nothing is narrowed. No sub-select: it is
-- planned for every node of a search.
CREATE FUNCTION engine.apply_search_policies(p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
    EXECUTE format('DROP POLICY IF EXISTS searched ON %I.metadata_records', p_schema);
    EXECUTE format('CREATE POLICY searched ON %I.metadata_records AS RESTRICTIVE FOR SELECT TO neurigraph_request USING (scope = ''user'''
                   ' OR coalesce(nullif(current_setting(''engine.searched_scopes'', true), '''')::jsonb ? (scope || '':'' || scope_id), true))',
                   p_schema);
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
    PERFORM engine.apply_search_policies(p_schema);
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

-- As before, but for two things: every unit that ends in "record" counts records, also that of what is scoped; and what is
-- scoped does not count in a search that names no scope.
CREATE OR REPLACE FUNCTION engine.search_vectors(p_schemas text[], p_terms integer[])
RETURNS TABLE (items sparsevec, records sparsevec)
LANGUAGE sql STABLE SET search_path = pg_catalog, public AS $$
    WITH counted AS (
        SELECT unit LIKE '%record' AS of_records, term, sum(documents)::float8 AS documents
        FROM engine.search_counts(p_schemas, p_terms || 0)
        WHERE unit NOT LIKE 'private scoped%' OR coalesce(current_setting('engine.searched_scopes', true), '') <> '[]'
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

-- The items of nodes that came in in one of these ways.
CREATE FUNCTION engine.search_sources(p_schemas text[], p_sources text[]) RETURNS SETOF uuid
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
DECLARE
    place text;
BEGIN
    FOREACH place IN ARRAY coalesce(p_schemas, '{}') LOOP
        IF engine.has_scopes(place) THEN
            RETURN QUERY EXECUTE format('SELECT item_id FROM %I.memory_items WHERE source = ANY ($1)', place) USING p_sources;
        ELSIF 'ingested' = ANY (p_sources) THEN
            RETURN QUERY EXECUTE format('SELECT item_id FROM %I.memory_items', place);
        END IF;
    END LOOP;
END $$;
REVOKE ALL ON FUNCTION engine.search_sources FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.search_sources TO neurigraph_request;
