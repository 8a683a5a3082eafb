-- The turns, passages or stated fact that a record's input has now, for those who may read items or files there; of a document with parts at
-- several nodes those of every part, for the owner. `first`: the text that each was stored with, `content`: its text now, null where it does not
-- hold. A fact that a newer one replaced was true, and stays; what a later version left out is not there. `p_parts`: with the other parts, without
-- it the record's own alone. `p_now`: when that is asked.
CREATE OR REPLACE FUNCTION engine.record_passages(p_record uuid, p_node uuid, p_parts boolean, p_now timestamptz)
RETURNS TABLE (item_id uuid, kind text, "position" integer, speaker text, section text, said_at timestamptz, "first" text, content text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    part record;
    lies uuid;
    place text;
BEGIN
    FOR part IN
        SELECT p_record AS record_id, p_node AS node_id
        UNION
        SELECT d.document_id, d.node_id FROM engine.documents AS o JOIN engine.documents AS d ON d.user_id = o.user_id AND d.source_id = o.source_id
        WHERE p_parts AND o.document_id = p_record AND engine.owns(p_node)
    LOOP
        lies := coalesce((SELECT a.node_id FROM engine.assignments AS a WHERE a.record_id = part.record_id ORDER BY a.entry_id DESC LIMIT 1), part.node_id);
        place := (SELECT n.schema_name FROM engine.nodes AS n WHERE n.node_id = lies);
        IF place IS NULL OR NOT (engine.can('read', lies, 'items') OR engine.can('read', lies, 'files')) THEN
            CONTINUE;
        END IF;
        RETURN QUERY EXECUTE format(
            'WITH rows AS MATERIALIZED (SELECT i.*, coalesce(i.version_of, i.item_id) AS subject_id FROM %1$I.memory_items AS i WHERE i.record_id = $1),
                  begun AS (SELECT DISTINCT ON (r.subject_id) r.subject_id, r.content FROM rows AS r ORDER BY r.subject_id, r.known_from, r.valid_from),
                  held AS (SELECT DISTINCT ON (r.subject_id) r.subject_id, r.content FROM rows AS r
                           WHERE r.known_to IS NULL AND r.valid_from <= $2 AND (r.valid_to IS NULL OR r.valid_to > $2) ORDER BY r.subject_id)
             SELECT i.item_id, i.kind, i.position, i.speaker, i.section, i.occurred_at, b.content,
                    CASE WHEN o.known_to IS NOT NULL OR o.valid_to <= $2 THEN NULL WHEN i.kind = ''fact'' THEN coalesce(h.content, i.content) ELSE h.content END
             FROM rows AS i JOIN begun AS b USING (subject_id) LEFT JOIN held AS h USING (subject_id)
             JOIN %1$I.metadata_records AS o ON o.record_id = i.record_id AND o.version_of IS NULL
             WHERE i.version_of IS NULL AND ($3 OR i.privacy <> ''private'' AND o.privacy <> ''private'') AND (i.kind IN (''turn'', ''chunk'') OR i.kind = ''fact'' AND o.source_id LIKE ''fact:%%'')
               AND NOT (i.known_to IS NOT NULL AND EXISTS (SELECT FROM %1$I.delta_log AS d WHERE d.subject_id = i.record_id
                                                           AND d.created_at = i.known_to AND d.payload ->> ''operation'' = ''renewed''))',
            place) USING part.record_id, p_now, engine.owns(lies);
    END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION engine.record_passages TO neurigraph_request;
