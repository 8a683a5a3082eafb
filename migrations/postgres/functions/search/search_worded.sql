-- The items of a large node that are best by words among those with one of the terms. As the owner of the tables: under row-level security Postgres
-- looks up no terms in an index, because the operator is not leakproof. So the rule of the policy stands in the statement, as shown_rule() has it.
CREATE OR REPLACE FUNCTION engine.search_worded(p_schema text, p_terms integer[], p_weights sparsevec, p_as_of timestamptz, p_known_at timestamptz, p_most integer)
RETURNS uuid[]
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
DECLARE
    node uuid := (SELECT n.node_id FROM engine.nodes AS n WHERE n.schema_name = p_schema);
    found uuid[];
BEGIN
    IF NOT engine.can('read', node, 'items') THEN
        RETURN NULL;
    END IF;
    EXECUTE format('SELECT array_agg(w.item_id ORDER BY w.distance, w.item_id) FROM (
                        SELECT o.* FROM (SELECT item_id, terms <#> $1 AS distance FROM %I.memory_items
                                         WHERE engine.term_numbers(terms) && $4 AND category <> ''whole'' AND scope = ''user'' AND valid_from <= $2
                                           AND (valid_to IS NULL OR valid_to > $2) AND known_from <= $3 AND (known_to IS NULL OR known_to > $3)
                                           AND $6 <= CASE WHEN privacy = ''private'' THEN ''-infinity''
                                                     WHEN known_to IS NULL AND valid_to IS NULL THEN ''infinity''
                                                     WHEN (least(known_to, valid_to) > moved_at) IS NOT FALSE THEN greatest(least(known_to, valid_to), ''4000-01-01 00:00+00 BC'')
                                                     ELSE ''4000-01-01 00:00+00 BC'' END
                                         OFFSET 0) AS o ORDER BY o.distance, o.item_id LIMIT $5) AS w',
                   p_schema)
    INTO found USING p_weights, p_as_of, p_known_at, p_terms, p_most, engine.shown_from(node, 'items');
    RETURN found;
END $$;
GRANT EXECUTE ON FUNCTION engine.search_worded TO neurigraph_request;
