-- Answers of language models, kept so that the same question is never paid twice; and facts that hold a whole input.
--
-- A record that no model has read holds its whole input as one fact of the category "whole". It stands beside the turns or
-- chunks of the same text, so a search looks at it only where facts are asked for by name, it is not counted among the items
-- of a node, and its words are not counted either.

CREATE TABLE engine.model_answers (
    user_id       uuid NOT NULL REFERENCES engine.users,
    key           bytea NOT NULL CHECK (octet_length(key) = 32),
    model         text NOT NULL CHECK (char_length(model) BETWEEN 1 AND 300),
    prompt        text NOT NULL CHECK (char_length(prompt) BETWEEN 1 AND 200),
    answer        jsonb NOT NULL,
    input_tokens  integer NOT NULL CHECK (input_tokens >= 0),
    output_tokens integer NOT NULL CHECK (output_tokens >= 0),
    created_at    timestamptz NOT NULL,
    PRIMARY KEY (user_id, key)
);
ALTER TABLE engine.model_answers ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.model_answers FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.model_answers TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.model_answers TO neurigraph_request
    USING (user_id = (SELECT engine.principal_user())) WITH CHECK (user_id = (SELECT engine.principal_user()));
GRANT SELECT, INSERT ON engine.model_answers TO neurigraph_request;

-- As before, but for facts that hold a whole input. Items and records meet in a hash join: the statistics of a young node promise
-- one row. One scan per node: words and meaning of every item together, and the words of its record. Only items of live records, as
-- they were at the moment, of the scopes that are named and the user's own, and that came in in one of p_sources (NULL: all).
-- Vectors of another version are not compared: meaning is NULL then. p_templates: the versions of the tables (search_nodes).
CREATE OR REPLACE FUNCTION engine.search_scan(p_nodes uuid[], p_schemas text[], p_templates integer[], p_query vector, p_version text,
                                   p_items sparsevec, p_records sparsevec, p_kinds text[], p_sources text[], p_scopes text[],
                                   p_as_of timestamptz, p_known_at timestamptz)
RETURNS TABLE (node_id uuid, schema_name text, item_id uuid, kind text, session uuid, "position" integer,
               words float8, meaning float8, record_words float8)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public SET enable_nestloop = off AS $$
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
             WHERE ($7 IS NULL OR i.kind = ANY ($7)) AND (i.category <> ''whole'' OR i.kind = ANY ($7)) AND i.valid_from <= $8 AND (i.valid_to IS NULL OR i.valid_to > $8)
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

-- As before, but for the same facts.
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
                           ' WHERE r.state = ''live'' AND i.version_of IS NULL AND i.category <> ''whole''),'
                           ' ARRAY(SELECT f.storage_path FROM %1$I.file_manifest AS f JOIN %1$I.metadata_records AS r USING (record_id)'
                           ' WHERE r.state = ''live'')', part.schema_name) INTO records, items, pointers;
        END IF;
        RETURN NEXT;
    END LOOP;
END $$;
