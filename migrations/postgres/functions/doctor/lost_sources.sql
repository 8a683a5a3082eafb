-- Sources of live records of a node that are missing in engine.sources; a persona's sources have its own key prefix, and behind it a hash in place of
-- an id that would be longer than 500 characters with it.
CREATE OR REPLACE FUNCTION engine.lost_sources(p_node uuid) RETURNS TABLE (source_id text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    node engine.nodes := (SELECT n FROM engine.nodes AS n WHERE n.node_id = p_node);
BEGIN
    RETURN QUERY EXECUTE format(
        'SELECT DISTINCT r.source_id FROM %I.metadata_records AS r WHERE r.state = ''live'' AND r.version_of IS NULL
         AND NOT EXISTS (SELECT FROM engine.sources AS s WHERE s.user_id = $1 AND s.source_id = r.source_id)
         AND NOT EXISTS (SELECT FROM engine.sources AS s WHERE s.user_id = $1 AND starts_with(s.source_id, ''persona:'')
                         AND substr(s.source_id, 46) = CASE WHEN char_length(r.source_id) <= 455 THEN r.source_id
                              ELSE encode(sha256(convert_to(r.source_id, ''UTF8'')), ''hex'') END)
         AND NOT EXISTS (SELECT FROM engine.accepted_damage AS a WHERE a.node_id = $2 AND a.kind = ''source-lost'' AND a.subject = r.source_id)',
        node.schema_name) USING node.user_id, p_node;
END $$;
