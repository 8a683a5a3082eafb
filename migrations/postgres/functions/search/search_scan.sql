-- The candidates of a search in some nodes, with the signals for ranking. Readers other than the owner find moved records only at moments
-- after the move.
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
GRANT EXECUTE ON FUNCTION engine.search_scan TO neurigraph_request;
