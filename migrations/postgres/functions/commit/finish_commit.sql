-- Makes a commit visible: its nodes and records live, outbox row done. Repeating it changes nothing.
-- The request role may call it for commits of its own principal's user.
CREATE OR REPLACE FUNCTION engine.finish_commit(p_commit uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    work engine.outbox;
    part record;
BEGIN
    SELECT * INTO work FROM engine.outbox AS o WHERE o.commit_id = p_commit FOR UPDATE;
    IF work.commit_id IS NULL
       OR (session_user = 'neurigraph_request' AND NOT engine.may_commit(work.user_id, work.kind, work.payload)) THEN
        RETURN false;
    END IF;
    IF work.state = 'done' THEN
        RETURN true;
    END IF;
    IF 'node' = ANY (work.kinds) THEN
        UPDATE engine.nodes AS n SET state = 'live' WHERE n.user_id = work.user_id AND n.node_id IN (SELECT engine.nodes_made(work));
    END IF;
    FOR part IN SELECT n.schema_name, array_agg((r.line ->> 'record_id')::uuid) AS records
                FROM engine.graph_changes(work.kind, work.payload) AS c, jsonb_path_query(c.change, '$.records[*]') AS r (line)
                JOIN engine.nodes AS n ON n.node_id = (r.line ->> 'node_id')::uuid AND n.user_id = work.user_id
                WHERE c.kind = 'records' GROUP BY 1
    LOOP
        EXECUTE format('UPDATE %I.metadata_records SET state = ''live'' WHERE commit_id = $1 AND state = ''pending'''
                       ' AND record_id = ANY ($2)', part.schema_name) USING p_commit, part.records;
    END LOOP;
    UPDATE engine.outbox AS o SET state = 'done', done_at = now() WHERE o.commit_id = p_commit;
    PERFORM engine.note_content(work);
    RETURN true;
END $$;
GRANT EXECUTE ON FUNCTION engine.finish_commit TO neurigraph_request;
