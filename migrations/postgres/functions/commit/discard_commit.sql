-- Discards a commit that was set aside: its nodes and records are undone, its grants are revoked. Changes of stored content stay in
-- Postgres; only the graph's part is dropped, and the doctor reports the difference. A revocation is never discarded (NG409). Commits
-- that wait for a node of this one are discarded with it.
-- Service only, in the transaction that holds the row. NG404: not set aside.
CREATE OR REPLACE FUNCTION engine.discard_commit(p_commit uuid, p_actor text, p_reason text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    work engine.outbox;
    later uuid;
BEGIN
    SELECT * INTO work FROM engine.outbox AS o WHERE o.commit_id = p_commit AND o.state = 'set_aside' FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'There is no such commit that was set aside.' USING ERRCODE = 'NG404';
    ELSIF 'revoked' = ANY (work.kinds) THEN
        RAISE EXCEPTION 'A revocation cannot be discarded.' USING ERRCODE = 'NG409';
    END IF;
    PERFORM set_config('engine.discarding', 'on', true);
    INSERT INTO engine.commit_log (event, commit_id, user_id, kind, actor, detail)
    VALUES ('discarded', p_commit, work.user_id, work.kind, p_actor, p_reason);
    IF 'node' = ANY (work.kinds) THEN
        FOR later IN SELECT o.commit_id FROM engine.outbox AS o
                     WHERE o.user_id = work.user_id AND o.state IN ('pending', 'set_aside') AND o.commit_id <> p_commit
                       AND p_commit IN (SELECT engine.commits_before(o.commit_id)) ORDER BY o.created_at DESC
        LOOP
            UPDATE engine.outbox AS o SET state = 'set_aside' WHERE o.commit_id = later;
            PERFORM engine.discard_commit(later, p_actor, 'it belongs to the discarded ' || p_commit);
        END LOOP;
    END IF;
    IF 'records' = ANY (work.kinds) THEN
        PERFORM engine.discard_records(work);
    END IF;
    IF 'facts' = ANY (work.kinds) THEN  -- a job carries them into the graph as they are
        UPDATE engine.facts AS f SET revision = f.revision + 1, graph_revision = 0
        WHERE f.user_id = work.user_id AND f.fact_id::text IN (
            SELECT s.one ->> 'fact_id' FROM engine.graph_changes(work.kind, work.payload) AS c,
                   jsonb_array_elements(c.change -> 'facts') AS r (line), jsonb_array_elements(r.line -> 'stated') AS s (one)
            WHERE c.kind = 'facts');
    END IF;
    IF 'granted' = ANY (work.kinds) THEN
        UPDATE engine.grants AS g SET revoked_at = clock_timestamp()
        WHERE g.user_id = work.user_id AND g.revoked_at IS NULL AND (g.grant_id = p_commit OR g.grant_id::text IN (
            SELECT c.change #>> '{grant,grant_id}' FROM engine.graph_changes(work.kind, work.payload) AS c WHERE c.kind = 'granted'));
    END IF;
    IF 'node' = ANY (work.kinds) THEN
        DELETE FROM engine.outbox AS o WHERE o.commit_id = p_commit;
        PERFORM engine.discard_nodes(work);
    ELSE
        UPDATE engine.outbox AS o SET state = 'discarded' WHERE o.commit_id = p_commit;
        PERFORM engine.note_content(work);
    END IF;
END $$;
