-- Makes a commit visible: node or records live, outbox row done. Repeating it changes nothing.
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
    IF work.kind = 'node' THEN
        UPDATE engine.nodes AS n SET state = 'live' WHERE n.node_id = p_commit;
    ELSIF work.kind = 'records' THEN
        FOR part IN SELECT DISTINCT n.schema_name FROM engine.nodes AS n
                    WHERE n.node_id IN (SELECT (r ->> 'node_id')::uuid FROM jsonb_array_elements(work.payload -> 'records') AS r)
        LOOP
            EXECUTE format('UPDATE %I.metadata_records SET state = ''live'' WHERE commit_id = $1 AND state = ''pending'''
                           ' AND record_id = ANY ($2)', part.schema_name)
            USING p_commit, ARRAY(SELECT (r ->> 'record_id')::uuid FROM jsonb_array_elements(work.payload -> 'records') AS r);
        END LOOP;
    END IF;
    UPDATE engine.outbox AS o SET state = 'done', done_at = now() WHERE o.commit_id = p_commit;
    RETURN true;
END $$;
GRANT EXECUTE ON FUNCTION engine.finish_commit TO neurigraph_request;
