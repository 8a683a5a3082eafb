-- What a search needs from many nodes at once: the statement itself is engine/sql/search.sql.
--
-- A node's tables are reached by name, so these functions visit node after node with dynamic SQL: planning one
-- statement per node is twice as fast as planning one UNION over all. They run with the caller's rights, under the
-- policies of every table; the names come from the registry, which shows a principal only what it may read.

-- The nodes to search: those asked for, or all; readable, live, and there at the moment (times are never NULL).
CREATE FUNCTION engine.search_nodes(p_nodes uuid[], p_as_of timestamptz, p_known_at timestamptz, p_most integer)
RETURNS TABLE (node_id uuid, schema_name text)
LANGUAGE sql STABLE SET search_path = pg_catalog
BEGIN ATOMIC
    SELECT n.node_id, n.schema_name
    FROM engine.nodes AS n
    WHERE (p_nodes IS NULL OR n.node_id = ANY (p_nodes)) AND n.state = 'live'
      AND n.valid_from <= p_as_of AND (n.valid_to IS NULL OR n.valid_to > p_as_of)
      AND n.known_from <= p_known_at AND (n.known_to IS NULL OR n.known_to > p_known_at)
    ORDER BY n.layer, n.created_at, n.node_id
    LIMIT p_most;
END;

-- In how many documents of these nodes the terms occur, per unit; term 0 counts the documents.
CREATE FUNCTION engine.search_counts(p_schemas text[], p_terms integer[])
RETURNS TABLE (unit text, term integer, documents integer)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
DECLARE
    node_schema text;
BEGIN
    FOREACH node_schema IN ARRAY coalesce(p_schemas, '{}') LOOP
        CONTINUE WHEN pg_relation_size(format('%I.term_counts', node_schema)::regclass) = 0;
        RETURN QUERY EXECUTE format('SELECT unit, term, documents FROM %I.term_counts WHERE term = ANY ($1)', node_schema)
        USING p_terms;
    END LOOP;
END $$;

-- The terms as query vectors: each weighs as much as it is rare in what is searched. Turns and passages share one
-- count, so that three chunks among a thousand turns are measured against all of them.
CREATE FUNCTION engine.search_vectors(p_schemas text[], p_terms integer[])
RETURNS TABLE (items sparsevec, records sparsevec)
LANGUAGE sql STABLE SET search_path = pg_catalog, public AS $$
    WITH counted AS (
        SELECT unit = 'record' AS of_records, term, sum(documents)::float8 AS documents
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

-- One scan per node: words and meaning of every item together, and the words of its record. Only items of live
-- records, as they were at the moment. Vectors of another version are not compared: meaning is NULL then.
CREATE FUNCTION engine.search_scan(p_nodes uuid[], p_schemas text[], p_query vector, p_version text, p_items sparsevec,
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
             JOIN (SELECT record_id, -(terms <#> $6) AS words FROM %1$I.metadata_records
                   WHERE state = ''live'' AND valid_from <= $8 AND (valid_to IS NULL OR valid_to > $8)
                     AND known_from <= $9 AND (known_to IS NULL OR known_to > $9) OFFSET 0) AS r USING (record_id)
             WHERE ($7 IS NULL OR i.kind = ANY ($7)) AND i.valid_from <= $8 AND (i.valid_to IS NULL OR i.valid_to > $8)
               AND i.known_from <= $9 AND (i.known_to IS NULL OR i.known_to > $9)', p_schemas[place])
        USING p_nodes[place], p_schemas[place], p_query, p_version, p_items, p_records, p_kinds, p_as_of, p_known_at;
    END LOOP;
END $$;

-- What a reader is shown of chosen items: the item, its record, its file.
CREATE FUNCTION engine.search_contents(p_schema text, p_items uuid[])
RETURNS TABLE (item_id uuid, record_id uuid, source_ref text, speaker text, content text, occurred_at timestamptz,
               dates text[], is_question boolean, previous_has_question boolean, first_of_session boolean,
               first_person boolean, word_count integer, time_expressions smallint, section text, record_title text,
               record_summary text, content_type text, file_id uuid, file_name text, file_state text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
BEGIN
    RETURN QUERY EXECUTE format(
        'SELECT i.item_id, record_id, i.source_ref, i.speaker, i.content, i.occurred_at, i.dates, i.is_question,
                i.previous_has_question, i.first_of_session, i.first_person, i.word_count, i.time_expressions, i.section,
                r.title, r.summary, r.content_type, f.file_id, f.file_name, f.compression_state
         FROM %1$I.memory_items AS i
         JOIN %1$I.metadata_records AS r USING (record_id)
         LEFT JOIN (SELECT DISTINCT ON (m.record_id) m.* FROM %1$I.file_manifest AS m
                    WHERE m.record_id = ANY (ARRAY(SELECT record_id FROM %1$I.memory_items WHERE item_id = ANY ($1)))
                    ORDER BY m.record_id, m.created_at, m.file_id) AS f USING (record_id)
         WHERE i.item_id = ANY ($1)', p_schema)
    USING p_items;
END $$;

REVOKE ALL ON FUNCTION engine.search_nodes, engine.search_counts, engine.search_vectors, engine.search_scan,
    engine.search_contents FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.search_nodes, engine.search_counts, engine.search_vectors, engine.search_scan,
    engine.search_contents TO neurigraph_request;
