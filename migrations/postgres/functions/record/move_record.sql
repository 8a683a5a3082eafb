-- Moves a record to another node of the same user, for a principal that may write at both: rows, slices, items with
-- their vectors, manifest, word counts, deltas. Ids and bytes stay, and so does the old node's log. One
-- transaction with the delta, the decision by hand and the graph's part. An awake file falls asleep; the sweep deletes its copy.
-- NG404: not found for this principal. NG409: its file is being restored, or the node holds another part of the same document.
CREATE OR REPLACE FUNCTION engine.move_record(p_commit uuid, p_record uuid, p_from uuid, p_to uuid, p_reason text, p_now timestamptz)
RETURNS TABLE (payload jsonb, revision integer, moved_at timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    source engine.nodes;
    target engine.nodes;
    moved record;
    ids uuid[];
    file engine.awake_files;
    restoring boolean := false;
    held boolean;
    message jsonb;
    known timestamptz;
    author text := engine.principal_kind() || ':' || engine.principal_id();
BEGIN
    SELECT * INTO source FROM engine.nodes AS n WHERE n.node_id = p_from AND n.state = 'live' AND n.known_to IS NULL;
    SELECT * INTO target FROM engine.nodes AS n WHERE n.node_id = p_to AND n.state = 'live' AND n.known_to IS NULL;
    IF source.node_id IS NULL OR target.node_id IS NULL OR source.user_id <> target.user_id
       OR NOT engine.can('write', p_from) OR NOT engine.can('write', p_to) THEN
        RAISE EXCEPTION 'There is no such record.' USING ERRCODE = 'NG404';
    END IF;
    FOR file IN EXECUTE format('SELECT a.* FROM engine.awake_files AS a JOIN %I.file_manifest AS f USING (file_id)'
                               ' WHERE a.node_id = $1 AND f.record_id = $2 ORDER BY a.file_id FOR UPDATE OF a', source.schema_name)
                USING p_from, p_record
    LOOP
        restoring := restoring OR file.claimed_until > p_now;
    END LOOP;
    EXECUTE format('SELECT * FROM %I.metadata_records WHERE record_id = $1 AND version_of IS NULL AND state = ''live'' FOR UPDATE',
                   source.schema_name) INTO moved USING p_record;
    EXECUTE format('SELECT array_agg(i.item_id ORDER BY i.item_id) FROM (SELECT item_id FROM %I.memory_items WHERE record_id = $1'
                   ' ORDER BY item_id FOR UPDATE) AS i', source.schema_name) INTO ids USING p_record;
    EXECUTE format('SELECT coalesce(bool_and(privacy <> ''private''), true) FROM %I.memory_items WHERE record_id = $1', source.schema_name)
    INTO held USING p_record;
    IF moved.record_id IS NULL OR NOT (engine.owns(p_from) OR held AND moved.privacy <> 'private') THEN
        RAISE EXCEPTION 'There is no such record.' USING ERRCODE = 'NG404';
    END IF;
    IF restoring THEN  -- after the check of rights: only a principal that may write sees this
        RAISE EXCEPTION 'The file is being restored.' USING ERRCODE = 'NG409';
    END IF;
    EXECUTE format('SELECT EXISTS (SELECT FROM %I.file_manifest AS f WHERE f.file_id IN (SELECT s.file_id FROM %I.file_manifest AS s'
                   ' WHERE s.record_id = $1))', target.schema_name, source.schema_name) INTO held USING p_record;
    IF held THEN
        RAISE EXCEPTION 'That node holds another part of the same document.' USING ERRCODE = 'NG409';
    END IF;
    PERFORM engine.sleep_files_of(p_from, source.schema_name, p_record, p_now);
    PERFORM engine.move_words(p_record, source.schema_name, target.schema_name);
    PERFORM engine.move_rows(p_record, ids, source.schema_name, target.schema_name);
    UPDATE engine.documents SET node_id = p_to WHERE document_id = p_record;
    UPDATE engine.retraction_steps AS s SET node_id = p_to WHERE s.record_id = p_record;
    UPDATE engine.facts SET node_id = p_to WHERE record_id = p_record;
    PERFORM engine.note_due(d.derivation, ARRAY[p_to]) FROM engine.due AS d  -- what the node waits for the record may wait for
    WHERE d.node_id = p_from AND d.derivation IN ('vectors', 'tokens', 'stems', 'entities', 'names');
    EXECUTE format('SELECT greatest($2, max(created_at) + interval ''1 microsecond'', $3 + interval ''1 microsecond'') FROM %I.delta_log WHERE subject_id = $1',
                   target.schema_name) INTO known USING p_record, p_now, moved.known_from;
    EXECUTE format('INSERT INTO %1$I.delta_log (delta_id, subject_kind, subject_id, w_coordinate, payload, previous_delta_id, authored_by,'
                   ' created_at, revision) SELECT $1, ''record'', $2, $3, $4, (SELECT d.delta_id FROM %1$I.delta_log AS d'
                   ' WHERE d.subject_id = $2 ORDER BY d.revision DESC LIMIT 1), $5, $3, $6', target.schema_name)
    USING gen_random_uuid(), p_record, known, jsonb_build_object('operation', 'moved', 'reason', p_reason, 'fields', jsonb_build_object(
              'node_id', jsonb_build_object('before', p_from, 'after', p_to))), author, moved.revision + 1;
    EXECUTE format('UPDATE %I.metadata_records SET revision = $2 WHERE record_id = $1', target.schema_name) USING p_record, moved.revision + 1;
    INSERT INTO engine.assignments (user_id, record_id, node_id, title, confidence, decided_by, moved_from, reasons, author, decided_at)
    VALUES (source.user_id, p_record, p_to, moved.title, 1, 'hand', p_from, jsonb_build_object('rule', 'moved by hand', 'reason', p_reason), author, known);
    message := jsonb_build_object('kind', 'record_revised', 'revision', jsonb_build_object(
        'record_id', p_record, 'node_id', p_to, 'user_id', source.user_id, 'revision', moved.revision + 1,
        'own', CASE WHEN moved.known_to IS NULL THEN jsonb_build_object(
            'title', moved.title, 'occurred_at', moved.occurred_at, 'valid_from', nullif(moved.valid_from, '-infinity'),
            'valid_to', moved.valid_to, 'known_from', moved.known_from) END,
        'closed', '[]'::jsonb, 'closed_at', coalesce(moved.known_to, known), 'added', '[]'::jsonb, 'moved_to', p_to));
    PERFORM engine.accept_commit(p_commit, source.user_id, jsonb_build_array(message));
    PERFORM engine.note_needing('content', ARRAY[p_from]);  -- the commit names the other node
    RETURN QUERY SELECT message, moved.revision + 1, known;
END $$;
GRANT EXECUTE ON FUNCTION engine.move_record TO neurigraph_request;
