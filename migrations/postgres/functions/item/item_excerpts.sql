-- Of each of these places ({node_id, item_id, start, end}: characters of an item's text) the text with p_around characters on each side, and where the place
-- begins in it. The principal's own rights decide: places that it may not read, or that are not there any more, are left out.
CREATE OR REPLACE FUNCTION engine.item_excerpts(p_places jsonb, p_around integer)
RETURNS TABLE (item_id uuid, text text, begins integer, speaker text, occurred_at timestamptz)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    place text;
BEGIN
    FOR place IN SELECT DISTINCT n.schema_name FROM jsonb_to_recordset(p_places) AS p (node_id uuid) JOIN engine.nodes AS n ON n.node_id = p.node_id ORDER BY 1
    LOOP
        RETURN QUERY EXECUTE format(
            'SELECT i.item_id, substr(i.content, greatest(p.start - $2, 0) + 1, p."end" - greatest(p.start - $2, 0) + $2), p.start - greatest(p.start - $2, 0),'
            ' i.speaker, i.occurred_at'
            ' FROM jsonb_to_recordset($1) AS p (item_id uuid, start integer, "end" integer)'
            ' JOIN %I.memory_items AS i ON i.item_id = p.item_id AND i.version_of IS NULL AND i.known_to IS NULL AND i.valid_to IS NULL'
            ' WHERE char_length(i.content) >= p."end"', place)
        USING p_places, p_around;
    END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION engine.item_excerpts TO neurigraph_request;
