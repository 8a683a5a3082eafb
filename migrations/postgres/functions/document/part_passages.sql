-- The passages of a file that is shown in part: those of the version that are at this node, in order, one page.
CREATE OR REPLACE FUNCTION engine.part_passages(p_node uuid, p_file uuid, p_after bigint, p_most integer)
RETURNS TABLE (place bigint, section text, content text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    shown record;
BEGIN
    SELECT f.* INTO shown FROM engine.part_files(p_node) AS f WHERE f.file_id = p_file;
    IF shown.file_id IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY EXECUTE format(
        'SELECT c.place, i.section, i.content FROM engine.document_versions AS v, unnest(v.chunks) WITH ORDINALITY AS c (item_id, place)'
        ' JOIN %I.memory_items AS i ON i.item_id = c.item_id'
        ' WHERE v.document_id = $1 AND v.file_id = $2 AND c.place > $3 AND i.record_id = $1 AND i.privacy <> ''private'''
        ' AND (i.known_to IS NULL AND i.valid_to IS NULL OR least(i.known_to, i.valid_to) > greatest(i.moved_at, $5))'
        ' AND (i.known_to IS NULL AND (i.valid_to IS NULL OR i.valid_to > now()) OR EXISTS ('  -- of the newest version what holds
        'SELECT FROM engine.document_versions AS l WHERE l.document_id = $1 AND l.version > v.version))'
        ' ORDER BY c.place LIMIT $4', (SELECT n.schema_name FROM engine.nodes AS n WHERE n.node_id = p_node))
    USING shown.record_id, p_file, p_after, p_most, engine.reads_from(p_node, 'files');
END $$;
GRANT EXECUTE ON FUNCTION engine.part_passages TO neurigraph_request;
