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
    bytes bigint;
    slot text := engine.embedding_slot(p_version);
    vectors text := CASE slot WHEN 'b' THEN 'embedding_b' ELSE 'embedding' END;
    tokens text := CASE slot WHEN 'b' THEN 'tokens_b' ELSE 'tokens' END;
    version text := CASE WHEN slot IS NOT NULL THEN p_version END;
    filters record;
    chosen uuid[];
    weights float8[];
    -- Signs and pictures alone, as ".", "---" or a raised thumb, mean nothing, whatever their vector is near to. Ranges, as classes of characters depend on
    -- the locale.
    signs text := '^[\x01-/:-@\x5B-`{-\u00A9\u200B-\u205E\u2190-\u2BFF\u3000-\u303F\uFE00-\uFE0F\U0001F000-\U0001FAFF\U000E0020-\U000E007F]*$';
BEGIN
    SELECT nullif(ARRAY(SELECT lower(c) FROM unnest(f.categories) AS c), '{}') AS categories, nullif(ARRAY(SELECT lower(t) FROM unnest(f.tags) AS t), '{}') AS tags,
           f.entities, f.since, f.until INTO filters
    FROM jsonb_to_record(coalesce(p_filters, '{}')) AS f (categories text[], tags text[], entities integer[], since timestamptz, until timestamptz);
    FOR number IN 1 .. coalesce(array_length(p_nodes, 1), 0) LOOP
        bytes := pg_relation_size(format('%I.memory_items', p_schemas[number])::regclass);
        CONTINUE WHEN bytes = 0;
        chosen := NULL;
        IF bytes > 500000 AND p_query IS NOT NULL AND p_filters IS NULL AND p_kinds IS NULL AND p_sources IS NULL AND cardinality(p_scopes) = 0
           AND engine.owns(p_nodes[number]) THEN  -- not worth it in smaller ones
            SELECT array_agg(c.item_id), array_agg(c.weight) INTO chosen, weights
            FROM engine.search_chosen(p_schemas[number], slot, p_query, p_items, p_as_of, p_known_at) AS c;
        END IF;
        -- Two statements, because one for both is planned a tenth longer; as that is done at every node, texts are short: IS NOT TRUE stands for no end, too.
        IF chosen IS NULL THEN
            RETURN QUERY EXECUTE format(
                'SELECT $1, i.item_id, i.kind, i.session, i.position, -(i.terms <#> $4),
                        CASE WHEN i.%3$I = $3 AND NOT (i.token_count < 16 AND i.content ~ $17) THEN -(i.%2$I <#> $2) END, r.words, i.speaker, i.occurred_at, i.dates,
                        i.is_question::integer + 2 * i.previous_has_question::integer + 4 * i.first_of_session::integer + 8 * i.first_person::integer,
                        i.word_count, i.time_expressions, i.entities, i.about, CASE WHEN i.%3$I = $3 THEN i.%4$I END, 1::float8, i.confidence,
                        coalesce(i.occurred_at, i.created_at)
                 FROM %1$I.memory_items AS i
                 JOIN (SELECT coalesce(version_of, record_id) AS record_id, -(terms <#> $5) AS words FROM %1$I.metadata_records
                       WHERE state = ''live'' AND valid_from <= $7 AND (valid_to <= $7) IS NOT TRUE
                         AND known_from <= $8 AND (known_to <= $8) IS NOT TRUE
                         AND (scope = ''user'' OR scope || '':'' || scope_id = ANY ($10)) AND (moved_at > $11) IS NOT TRUE OFFSET 0) AS r USING (record_id)
                 WHERE coalesce(i.kind = ANY ($6), i.category <> ''whole'') AND i.valid_from <= $7 AND (i.valid_to <= $7) IS NOT TRUE
                   AND i.known_from <= $8 AND (i.known_to <= $8) IS NOT TRUE AND ($9 IS NULL OR i.source = ANY ($9))
                   AND ($12 IS NULL OR lower(i.category) = ANY ($12)) AND ($13 IS NULL OR lower(i.tags::text)::text[] && $13)
                   AND ($14 IS NULL OR i.entities && $14) AND ($15 IS NULL OR i.occurred_at >= $15) AND ($16 IS NULL OR i.occurred_at < $16)',
                p_schemas[number], vectors, vectors || '_version', tokens)
            USING number, p_query, version, p_items, p_records, p_kinds, p_as_of, p_known_at, p_sources, p_scopes,
                  CASE WHEN NOT engine.owns(p_nodes[number]) THEN least(p_as_of, p_known_at) END,
                  filters.categories, filters.tags, filters.entities, filters.since, filters.until, signs;
        ELSE
            RETURN QUERY EXECUTE format(
                'WITH picked AS MATERIALIZED (SELECT o.*, k.weight FROM %1$I.memory_items AS o JOIN unnest($9, $10) AS k (item_id, weight) USING (item_id)
                                              WHERE o.item_id = ANY ($9))
                 SELECT $1, i.item_id, i.kind, i.session, i.position, -(i.terms <#> $4),
                        CASE WHEN i.%3$I = $3 AND NOT (i.token_count < 16 AND i.content ~ $6) THEN -(i.%2$I <#> $2) END, r.words, i.speaker, i.occurred_at, i.dates,
                        i.is_question::integer + 2 * i.previous_has_question::integer + 4 * i.first_of_session::integer + 8 * i.first_person::integer,
                        i.word_count, i.time_expressions, i.entities, i.about, CASE WHEN i.%3$I = $3 THEN i.%4$I END, i.weight, i.confidence,
                        coalesce(i.occurred_at, i.created_at)
                 FROM picked AS i
                 JOIN (SELECT coalesce(version_of, record_id) AS record_id, -(terms <#> $5) AS words FROM %1$I.metadata_records
                       WHERE state = ''live'' AND valid_from <= $7 AND (valid_to <= $7) IS NOT TRUE
                         AND known_from <= $8 AND (known_to <= $8) IS NOT TRUE AND scope = ''user''
                         AND coalesce(version_of, record_id) IN (SELECT record_id FROM picked) OFFSET 0) AS r USING (record_id)
                 WHERE i.category <> ''whole'' AND i.valid_from <= $7 AND (i.valid_to <= $7) IS NOT TRUE
                   AND i.known_from <= $8 AND (i.known_to <= $8) IS NOT TRUE',
                p_schemas[number], vectors, vectors || '_version', tokens)
            USING number, p_query, version, p_items, p_records, signs, p_as_of, p_known_at, chosen, weights;
        END IF;
    END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION engine.search_scan TO neurigraph_request;
