-- Makes the chains agree with the items of a node, of these facts or (NULL) of all: a live fact whose item or record ended is withdrawn, a withdrawn one
-- that holds again and that nothing followed is live; a category that was changed is copied. Returns how many facts came or went. For the service.
CREATE OR REPLACE FUNCTION engine.settle_facts(p_node uuid, p_now timestamptz, p_facts uuid[]) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    place text := (SELECT n.schema_name FROM engine.nodes AS n WHERE n.node_id = p_node);
    settled bigint;
BEGIN
    EXECUTE format(
        'UPDATE engine.facts AS f'
        ' SET status = CASE WHEN i.holds THEN ''live'' ELSE ''withdrawn'' END, invalidated_at = CASE WHEN NOT i.holds THEN $2 END,'
        '     valid_to = CASE WHEN NOT i.holds THEN greatest(i.valid_to, f.valid_from) END'
        ' FROM (SELECT s.item_id, least(s.valid_to, r.valid_to) AS valid_to,'
        '              s.known_to IS NULL AND s.valid_to IS NULL AND r.known_to IS NULL AND r.valid_to IS NULL AS holds'
        '       FROM %1$I.memory_items AS s JOIN %1$I.metadata_records AS r ON r.record_id = s.record_id'
        '       WHERE s.kind = ''fact'' AND ($3 IS NULL OR s.item_id = ANY ($3))) AS i'
        ' WHERE f.fact_id = i.item_id AND f.node_id = $1'
        '       AND (f.status = ''live'' AND NOT i.holds OR f.status = ''withdrawn'' AND i.holds'
        '            AND NOT EXISTS (SELECT FROM engine.facts AS n WHERE n.supersedes = f.fact_id))', place)
    USING p_node, p_now, p_facts;
    GET DIAGNOSTICS settled = ROW_COUNT;
    EXECUTE format('UPDATE engine.facts AS f SET category = i.category FROM %I.memory_items AS i'
                   ' WHERE f.fact_id = i.item_id AND f.node_id = $1 AND f.category <> i.category AND ($2 IS NULL OR f.fact_id = ANY ($2))', place)
    USING p_node, p_facts;
    RETURN settled;
END $$;
