-- The rest of every transition, after the row of the file was updated: manifest, log, state of the node. Returns where the
-- file is stored; NULL if the manifest no longer lists it.
CREATE OR REPLACE FUNCTION engine.note_file_state(p_file engine.awake_files, p_from text, p_to text, p_trigger text, p_now timestamptz,
                                       p_detail text DEFAULT '', p_review boolean DEFAULT false) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    node_schema text := (SELECT n.schema_name FROM engine.nodes AS n WHERE n.node_id = p_file.node_id);
    stored_at text;
    entry bigint;
BEGIN
    EXECUTE format('UPDATE %I.file_manifest SET compression_state = $2, recompress_after = $3,'
                   ' last_accessed_at = CASE $2 WHEN ''dormant'' THEN last_accessed_at ELSE greatest(last_accessed_at, $4) END'
                   ' WHERE file_id = $1 RETURNING storage_path', node_schema)
    INTO stored_at USING p_file.file_id, p_to, CASE p_to WHEN 'active' THEN p_file.due_at END, p_file.accessed_at;
    INSERT INTO engine.node_states (node_id, state, seq, changed_at) VALUES (p_file.node_id, 'dormant', 0, p_now) ON CONFLICT DO NOTHING;
    PERFORM FROM engine.node_states AS s WHERE s.node_id = p_file.node_id FOR UPDATE;
    INSERT INTO engine.compression_state_log (occurred_at, user_id, node_id, file_id, from_state, to_state, trigger, actor_kind,
                                              actor_id, claim_id, detail, needs_review)
    VALUES (p_now, p_file.user_id, p_file.node_id, p_file.file_id, p_from, p_to, p_trigger,
            coalesce(nullif(engine.principal_kind(), ''), 'service'), engine.principal_id(), p_file.claim_id,
            left(p_detail, 500), p_review)
    RETURNING entry_id INTO entry;
    UPDATE engine.node_states AS s SET seq = entry, changed_at = p_now, state = CASE
        WHEN EXISTS (SELECT FROM engine.awake_files AS a WHERE a.node_id = p_file.node_id AND a.state = 'rehydrating') THEN 'rehydrating'
        WHEN EXISTS (SELECT FROM engine.awake_files AS a WHERE a.node_id = p_file.node_id) THEN 'active'
        ELSE 'dormant' END
    WHERE s.node_id = p_file.node_id;
    RETURN stored_at;
END $$;
