-- Facts of the principal's own graph with their texts, by their ids, in no order; of a withdrawn one no text, and none that was ended by hand. Nothing for anyone else: others find facts by a search.
CREATE OR REPLACE FUNCTION engine.fact_texts(p_facts uuid[])
RETURNS TABLE (fact_id uuid, node_id uuid, record_id uuid, chain_id uuid, text text, category text, subjects text[], status text, supersedes uuid,
               ended_by uuid, contradicts uuid[], may_replace uuid[], maybe_replaced_by uuid[], valid_from timestamptz, valid_to timestamptz, known_from timestamptz, invalidated_at timestamptz,
               last_confirmed_at timestamptz, confirmations integer, confirmed_by uuid[], stale boolean, confidence real, importance real,
               access_count integer, last_accessed_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    owner uuid := CASE WHEN engine.principal_kind() = 'user' THEN engine.principal_id() END;
    place text;
BEGIN
    FOR place IN SELECT DISTINCT n.schema_name FROM engine.facts AS f JOIN engine.nodes AS n ON n.node_id = f.node_id
                 WHERE f.fact_id = ANY (p_facts) AND f.user_id = owner ORDER BY 1
    LOOP
        RETURN QUERY EXECUTE format(
            'SELECT f.fact_id, f.node_id, f.record_id, f.chain_id, CASE WHEN f.status = ''withdrawn'' THEN '''' ELSE i.content END, i.category,'
            ' CASE WHEN f.status = ''withdrawn'' THEN ''{}'' ELSE i.subjects END, f.status, f.supersedes, f.ended_by,'
            ' p.contradicts, p.may_replace, p.maybe_replaced_by,'
            ' f.valid_from, f.valid_to, f.known_from, f.invalidated_at, f.last_confirmed_at, f.confirmations,'
            ' ARRAY(SELECT o.record_id FROM engine.facts AS o WHERE o.confirms = f.fact_id ORDER BY o.known_from, 1 LIMIT 100),'
            ' f.stale, i.confidence, i.importance, i.access_count, i.last_accessed_at'
            ' FROM engine.facts AS f JOIN %I.memory_items AS i ON i.item_id = f.fact_id, engine.doubts_with(f) AS p WHERE f.fact_id = ANY ($1) AND f.user_id = $2'
            ' AND (f.status <> ''live'' OR i.known_to IS NULL AND (i.valid_to IS NULL OR i.valid_to > now()))', place)
        USING p_facts, owner;
    END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION engine.fact_texts TO neurigraph_request;
