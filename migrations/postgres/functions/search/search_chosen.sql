-- Of a large node with indexes (engine.large_nodes says which) the items to look at, instead of all: nearest by meaning (HNSW, in half precision;
-- the scan computes the exact products), best by words among those with rare terms of the question, the turns around both, and a sample that
-- stands for all in the statistics: `weight` is for how many items it stands, 0 for the others. No row: the node has no index, or fewer items are
-- near than asked for or sampled, as where a reader is shown little of it: it is scanned as a whole.
CREATE OR REPLACE FUNCTION engine.search_chosen(p_schema text, p_slot text, p_query vector, p_terms sparsevec, p_as_of timestamptz, p_known_at timestamptz)
RETURNS TABLE (item_id uuid, weight float8)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp SET enable_nestloop = on SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
    nearest integer := 250;   -- more than a search asks for of any family
    around integer := 60;     -- of the best of both lists: only so many turns become candidates
    most_read float8 := 8000;  -- items with rare terms
    vectors text := CASE p_slot WHEN 'a' THEN 'embedding' ELSE 'embedding_b' END;
    items float8;
    halved boolean;
    terms integer[];
    near uuid[];
BEGIN
    SELECT c.reltuples, a.atttypid = 'halfvec'::regtype INTO items, halved FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = vectors
    WHERE c.oid = to_regclass(format('%I.memory_items', p_schema)) AND c.reltuples > 0
      AND EXISTS (SELECT FROM pg_index AS x WHERE x.indexrelid = to_regclass(format('%I.%I', p_schema, 'memory_items_meaning_' || p_slot)) AND x.indisvalid)
      AND EXISTS (SELECT FROM pg_index AS x WHERE x.indexrelid = to_regclass(format('%I.memory_items_terms', p_schema)) AND x.indisvalid)
      AND EXISTS (SELECT FROM pg_index AS x WHERE x.indexrelid = to_regclass(format('%I.memory_items_sessions', p_schema)) AND x.indisvalid);
    IF items IS NULL THEN
        RETURN;
    END IF;
    PERFORM set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', '400', true);
    -- The index has vectors as halfvec, of so many dimensions: a cast takes no parameter for these, the function of the cast does.
    IF halved THEN
        EXECUTE format('SELECT array_agg(n.item_id) FROM (SELECT i.item_id FROM %1$I.memory_items AS i
                            WHERE i.category <> ''whole'' AND i.scope = ''user'' AND i.valid_from <= $2 AND (i.valid_to IS NULL OR i.valid_to > $2)
                              AND i.known_from <= $3 AND (i.known_to IS NULL OR i.known_to > $3)
                            ORDER BY i.%2$I <#> $1::halfvec LIMIT $4) AS n', p_schema, vectors)
        INTO near USING p_query, p_as_of, p_known_at, nearest;
    ELSE
        EXECUTE format('SELECT array_agg(n.item_id) FROM (SELECT i.item_id FROM %1$I.memory_items AS i
                            WHERE i.category <> ''whole'' AND i.scope = ''user'' AND i.valid_from <= $2 AND (i.valid_to IS NULL OR i.valid_to > $2)
                              AND i.known_from <= $3 AND (i.known_to IS NULL OR i.known_to > $3)
                            ORDER BY vector_to_halfvec(i.%2$I, $5, true) <#> vector_to_halfvec($1, $5, true) LIMIT $4) AS n', p_schema, vectors)
        INTO near USING p_query, p_as_of, p_known_at, nearest, vector_dims(p_query);
    END IF;
    IF coalesce(cardinality(near), 0) < nearest THEN
        RETURN;
    END IF;
    -- Rarest first, until too many items would be read. A weight of a term says in how many documents it is.
    SELECT array_agg(t.term) INTO terms FROM (
        SELECT e.term, sum(items / exp(e.rarity)) OVER (ORDER BY e.rarity DESC, e.term) AS documents, row_number() OVER (ORDER BY e.rarity DESC, e.term) AS place
        FROM (SELECT split_part(entry, ':', 1)::integer AS term, split_part(entry, ':', 2)::float8 AS rarity
              FROM unnest(string_to_array(btrim(split_part(p_terms::text, '/', 1), '{}'), ',')) AS entry WHERE entry <> '') AS e) AS t
    WHERE t.documents <= most_read OR t.place = 1;
    RETURN QUERY EXECUTE format(
        'WITH best AS MATERIALIZED (
             SELECT i.session, i.position FROM %1$I.memory_items AS i WHERE i.item_id = ANY ($1[:$6] || $4[:$6]) AND i.kind = ''turn''
         ), sampled AS MATERIALIZED (
             SELECT i.item_id FROM %1$I.memory_items AS i TABLESAMPLE SYSTEM (100 * $5) REPEATABLE (1)
             WHERE i.category <> ''whole'' AND i.scope = ''user'' AND i.valid_from <= $2 AND (i.valid_to IS NULL OR i.valid_to > $2)
               AND i.known_from <= $3 AND (i.known_to IS NULL OR i.known_to > $3)
         )
         SELECT u.item_id, max(u.weight) FROM (
             SELECT unnest($1 || $4) AS item_id, 0::float8 AS weight
             UNION ALL SELECT item_id, 1 / $5 FROM sampled
             UNION ALL SELECT i.item_id, 0 FROM best AS b JOIN %1$I.memory_items AS i ON i.session = b.session
                       AND i.position BETWEEN b.position - 4 AND b.position + 4) AS u WHERE (SELECT count(*) FROM sampled) >= 100 GROUP BY u.item_id', p_schema)
    USING near, p_as_of, p_known_at, engine.search_worded(p_schema, coalesce(terms, '{}'), p_terms, p_as_of, p_known_at, nearest),
          least(800 / items, 0.25), around;
END $$;
GRANT EXECUTE ON FUNCTION engine.search_chosen TO neurigraph_request;
