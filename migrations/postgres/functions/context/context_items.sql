-- Items by their ids, as they were at a moment, wherever among these nodes they lie; p_ended: those of them that may be over by then. The principal's own
-- rights decide, at moments of the past those that it had then. p_sources NULL: of all sources; p_scopes: threads and workflows beside the user's memory.
CREATE OR REPLACE FUNCTION engine.context_items(p_nodes uuid[], p_items uuid[], p_ended uuid[], p_sources text[], p_scopes text[],
                                                p_as_of timestamptz, p_known_at timestamptz, p_earliest timestamptz)
RETURNS TABLE (item_id uuid, record_id uuid, node_id uuid, kind text, session uuid, "position" integer, last_position integer, speaker text, content text,
               occurred_at timestamptz, dates text[], section text, title text, is_question boolean, follows_question boolean, word_count integer,
               valid_from timestamptz, valid_to timestamptz)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    place record;
BEGIN
    FOR place IN SELECT n.node_id, n.schema_name FROM engine.nodes AS n
                 WHERE n.node_id = ANY (p_nodes) AND n.state = 'live'
                   AND width_bucket(least(p_as_of, p_known_at), n.archivings) % 2 = 0
                   AND (p_earliest IS NULL OR coalesce(engine.reads_from(n.node_id, 'items'), engine.reads_from(n.node_id, NULL)) <= p_earliest)
                 ORDER BY 1
    LOOP
        RETURN QUERY EXECUTE format(
            'SELECT coalesce(i.version_of, i.item_id), i.record_id, $1, i.kind, i.session, i.position,'
            ' CASE WHEN i.span IS NOT NULL AND r.content_type = ''conversation'' THEN greatest(i.position, upper(i.span) - 1) ELSE i.position END,'
            ' i.speaker, i.content, i.occurred_at, i.dates, i.section, r.title, i.is_question, i.previous_has_question, i.word_count, i.valid_from, i.valid_to'
            ' FROM %1$I.memory_items AS i JOIN %1$I.metadata_records AS r'
            '   ON CASE WHEN $8 THEN coalesce(r.version_of, r.record_id) ELSE r.record_id END = i.record_id AND r.state = ''live'''
            '      AND r.valid_from <= $6 AND (r.valid_to IS NULL OR r.valid_to > $6) AND r.known_from <= $7 AND (r.known_to IS NULL OR r.known_to > $7)'
            ' WHERE (i.item_id = ANY ($2) OR $8 AND i.version_of = ANY ($2)) AND i.category <> ''whole'''
            '   AND i.valid_from <= $6 AND (i.valid_to IS NULL OR i.valid_to > $6 OR i.item_id = ANY ($3) AND i.valid_to > i.valid_from)'
            '   AND i.known_from <= $7 AND (i.known_to IS NULL OR i.known_to > $7)'
            '   AND ($4 IS NULL OR i.source = ANY ($4)) AND (r.scope = ''user'' OR r.scope || '':'' || r.scope_id = ANY ($5)) AND (r.moved_at > $9) IS NOT TRUE',
            place.schema_name)
        USING place.node_id, p_items, p_ended, p_sources, p_scopes, p_as_of, p_known_at, p_earliest IS NOT NULL,
              CASE WHEN p_earliest IS NOT NULL AND NOT engine.owns(place.node_id) THEN p_earliest END;
    END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION engine.context_items TO neurigraph_request;
