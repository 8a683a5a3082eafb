-- All items of some nodes, or, for the owner, the chosen ones of a large node with indexes (search_chosen: its sample and estimates count what is
-- hidden from others, too), with the signals for ranking. Readers other than the owner find moved records
-- only at moments after the move.
-- p_filters: categories, tags, entities (numbers), since and until, each NULL for all; lower and upper case of categories and tags are one. Not NULL: all items are read.
-- place: of the node in p_nodes; meaning: the cosine, NULL without a vector of this version and for a text of signs alone; item_id: of the slice that was found; flags: 1 asks, 2 follows a question, 4 opens a session, 8 first person;
-- weight: for how many items of the node it stands in statistics, 1 where all are read; from_time: when it was said, else stored.
CREATE OR REPLACE FUNCTION engine.search_scan(p_nodes uuid[], p_schemas text[], p_query vector, p_version text,
                                   p_items sparsevec, p_records sparsevec, p_kinds text[], p_sources text[], p_scopes text[],
                                   p_as_of timestamptz, p_known_at timestamptz, p_filters jsonb)
RETURNS TABLE (place integer, item_id uuid, kind text, session uuid, "position" integer, words float8, meaning float8, record_words float8,
               speaker text, occurred_at timestamptz, dates text[], flags integer, word_count integer, time_expressions smallint,
               entities integer[], about integer[], tokens bytea, weight float8, confidence real, from_time timestamptz)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp SET enable_nestloop = off AS $$
#variable_conflict use_column
DECLARE
    number integer;
    slot text := engine.embedding_slot(p_version);
    vectors text := CASE slot WHEN 'b' THEN 'embedding_b' ELSE 'embedding' END;
    tokens text := CASE slot WHEN 'b' THEN 'tokens_b' ELSE 'tokens' END;
    filters record;
    filtered text;
    chosen uuid[];
    weights float8[];
    -- Signs alone, as "." or "---", mean nothing, whatever their vector is near to. Ranges, as classes of characters depend on the locale.
    wordless text := 'i.token_count < 16 AND i.content ~ ''^[\x01-/:-@\x5B-`{-\u00A9\u2010-\u205E\u3000-\u303F]*$''';
BEGIN
    SELECT ARRAY(SELECT lower(c) FROM unnest(f.categories) AS c) AS categories, ARRAY(SELECT lower(t) FROM unnest(f.tags) AS t) AS tags, f.entities,
           f.since, f.until INTO filters
    FROM jsonb_to_record(coalesce(p_filters, '{}')) AS f (categories text[], tags text[], entities integer[], since timestamptz, until timestamptz);
    filtered := concat(CASE WHEN cardinality(filters.categories) > 0 THEN ' AND lower(i.category) = ANY ($11)' END,
                       CASE WHEN cardinality(filters.tags) > 0 THEN ' AND EXISTS (SELECT FROM unnest(i.tags) AS t WHERE lower(t) = ANY ($12))' END,
                       CASE WHEN filters.entities IS NOT NULL THEN ' AND i.entities && $13' END,
                       CASE WHEN filters.since IS NOT NULL THEN ' AND i.occurred_at >= $14' END,
                       CASE WHEN filters.until IS NOT NULL THEN ' AND i.occurred_at < $15' END);
    FOR number IN 1 .. coalesce(array_length(p_nodes, 1), 0) LOOP
        CONTINUE WHEN pg_relation_size(format('%I.memory_items', p_schemas[number])::regclass) = 0;
        chosen := NULL;
        IF p_query IS NOT NULL AND p_filters IS NULL AND p_kinds IS NULL AND p_sources IS NULL AND cardinality(p_scopes) = 0 AND engine.owns(p_nodes[number])
           AND pg_relation_size(format('%I.memory_items', p_schemas[number])::regclass) > 500000 THEN  -- not worth it in smaller ones
            SELECT array_agg(c.item_id), array_agg(c.weight) INTO chosen, weights
            FROM engine.search_chosen(p_schemas[number], slot, p_query, p_items, p_as_of, p_known_at) AS c;
        END IF;
        RETURN QUERY EXECUTE format(
            '%9$s SELECT $1, i.item_id, i.kind, i.session, i.position, -(i.terms <#> $4), %2$s, r.words, i.speaker, i.occurred_at, i.dates,
                    i.is_question::integer + 2 * i.previous_has_question::integer + 4 * i.first_of_session::integer + 8 * i.first_person::integer,
                    i.word_count, i.time_expressions, i.entities, i.about, %5$s, %6$s, i.confidence, coalesce(i.occurred_at, i.created_at)
             FROM %7$s AS i
             JOIN (SELECT coalesce(version_of, record_id) AS record_id, -(terms <#> $5) AS words FROM %1$I.metadata_records
                   WHERE state = ''live'' AND valid_from <= $7 AND (valid_to IS NULL OR valid_to > $7)
                     AND known_from <= $8 AND (known_to IS NULL OR known_to > $8)
                     AND (scope = ''user'' OR scope || '':'' || scope_id = ANY ($10)) %4$s %8$s OFFSET 0) AS r USING (record_id)
             WHERE ($6 IS NULL OR i.kind = ANY ($6)) AND (i.category <> ''whole'' OR i.kind = ANY ($6)) AND i.valid_from <= $7 AND (i.valid_to IS NULL OR i.valid_to > $7)
               AND i.known_from <= $8 AND (i.known_to IS NULL OR i.known_to > $8) %3$s %10$s',
            p_schemas[number],
            CASE WHEN slot IS NULL THEN 'NULL::float8'
                 ELSE format('CASE WHEN i.%I = $3 AND NOT (%s) THEN -(i.%I <#> $2) END', vectors || '_version', wordless, vectors) END,
            CASE WHEN p_sources IS NOT NULL THEN 'AND i.source = ANY ($9)' END,
            CASE WHEN NOT engine.owns(p_nodes[number]) THEN 'AND (moved_at IS NULL OR moved_at <= least($7, $8))' END,
            CASE WHEN slot IS NULL THEN 'NULL::bytea' ELSE format('CASE WHEN i.%I = $3 THEN i.%I END', vectors || '_version', tokens) END,
            CASE WHEN chosen IS NULL THEN '1::float8' ELSE 'i.weight' END,
            CASE WHEN chosen IS NULL THEN format('%I.memory_items', p_schemas[number]) ELSE 'picked' END,
            CASE WHEN chosen IS NOT NULL THEN 'AND coalesce(version_of, record_id) IN (SELECT record_id FROM picked)' END,
            CASE WHEN chosen IS NOT NULL THEN format('WITH picked AS MATERIALIZED (SELECT o.*, k.weight FROM %I.memory_items AS o'
                ' JOIN unnest($16, $17) AS k (item_id, weight) USING (item_id) WHERE o.item_id = ANY ($16))', p_schemas[number]) END, filtered)
        USING number, p_query, p_version, p_items, p_records, p_kinds, p_as_of, p_known_at, p_sources, p_scopes,
              filters.categories, filters.tags, filters.entities, filters.since, filters.until, chosen, weights;
    END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION engine.search_scan TO neurigraph_request;
