-- Reading stored records again: where turns stand in their transcripts, records that no model has read, replays of a user.

-- Of a conversation's raw resource: its turns with their places in the transcript (see engine/domain/layout.py). None where it is no
-- conversation, or was stored before.
ALTER TABLE engine.raw_resources ADD COLUMN layout jsonb;

-- Records that a configured model was to read and has not, because it was silent, gave no usable answer, or a limit was reached; and
-- new versions of documents, which are written without it. A job reads them. Looked at by the service alone.
CREATE TABLE engine.unread_records (
    record_id    uuid PRIMARY KEY,
    user_id      uuid NOT NULL REFERENCES engine.users,
    node_id      uuid NOT NULL,  -- where it lay then
    reason       text NOT NULL CHECK (char_length(reason) <= 600),
    noted_at     timestamptz NOT NULL,
    attempts     integer NOT NULL DEFAULT 0,
    next_attempt timestamptz NOT NULL
);
CREATE INDEX unread_records_due ON engine.unread_records (next_attempt);
ALTER TABLE engine.unread_records ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.unread_records FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.unread_records TO CURRENT_USER USING (true) WITH CHECK (true);

-- Notes records in the transaction that writes them; one that is noted already begins anew. All arrays are of one length.
CREATE FUNCTION engine.note_unread(p_records uuid[], p_nodes uuid[], p_reasons text[], p_now timestamptz) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog
BEGIN ATOMIC
    INSERT INTO engine.unread_records (record_id, user_id, node_id, reason, noted_at, next_attempt)
    SELECT u.record_id, engine.principal_graph(), u.node_id, left(u.reason, 600), p_now, p_now
    FROM unnest(p_records, p_nodes, p_reasons) AS u (record_id, node_id, reason)
    WHERE engine.can('write', u.node_id) ORDER BY u.record_id
    ON CONFLICT (record_id) DO UPDATE
    SET node_id = excluded.node_id, reason = excluded.reason, noted_at = p_now, attempts = 0, next_attempt = p_now
    WHERE engine.unread_records.user_id = excluded.user_id;
END;
REVOKE ALL ON FUNCTION engine.note_unread FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.note_unread TO neurigraph_request;

-- What no model could read in the end is in the failure log, too.
ALTER TABLE engine.failure_log DROP CONSTRAINT failure_log_stage_check,
    ADD CONSTRAINT failure_log_stage_check CHECK (stage IN ('read', 'draft', 'commit', 'reading', 'ingest', 'job'));

-- Replays ----------------------------------------------------------------------------------------------------------------

-- A replay makes every record of a user again, beside what is there: nothing that is staged is seen by any other read. It goes through
-- the records in the order of node and record; `after_…` says how far it is. At most one of a user is open.
CREATE TABLE engine.replays (
    replay_id    uuid PRIMARY KEY,
    user_id      uuid NOT NULL REFERENCES engine.users,
    state        text NOT NULL DEFAULT 'building' CHECK (state IN ('building', 'built', 'swapped', 'discarded')),
    began_at     timestamptz NOT NULL,
    ended_at     timestamptz,
    after_node   uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    after_record uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    total        bigint NOT NULL,
    outcome      jsonb,  -- the comparison as it was in the end
    CHECK ((state IN ('swapped', 'discarded')) = (ended_at IS NOT NULL)),
    CHECK ((ended_at IS NULL) = (outcome IS NULL))
);
CREATE UNIQUE INDEX replays_open ON engine.replays (user_id) WHERE ended_at IS NULL;
CREATE INDEX replays_of_user ON engine.replays (user_id, began_at, replay_id);
CREATE INDEX replays_building ON engine.replays (replay_id) WHERE state = 'building';
ALTER TABLE engine.replays ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.replays FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.replays TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.replays TO neurigraph_request
    USING (user_id = (SELECT engine.principal_user())) WITH CHECK (user_id = (SELECT engine.principal_user()));
GRANT SELECT, INSERT, UPDATE ON engine.replays TO neurigraph_request;

-- What a replay makes of one record: how it differs from the record at `revision` (null: not at all), and the vectors of what is new
-- (one after the other, single precision), made with `embeddings`.
CREATE TABLE engine.replayed_records (
    replay_id  uuid NOT NULL REFERENCES engine.replays,
    record_id  uuid NOT NULL,
    user_id    uuid NOT NULL,
    node_id    uuid NOT NULL,
    revision   integer NOT NULL,
    kept       integer NOT NULL,
    added      integer NOT NULL,
    ended      integer NOT NULL,
    summary    boolean NOT NULL,  -- whether it changes
    keywords   boolean NOT NULL,
    missing    boolean NOT NULL,  -- whether a model's answers are not all kept
    plan       jsonb,
    vectors    bytea,
    embeddings text,
    PRIMARY KEY (replay_id, record_id),
    CHECK ((vectors IS NULL) = (embeddings IS NULL))
);
CREATE INDEX replayed_records_by_place ON engine.replayed_records (replay_id, node_id, record_id) WHERE plan IS NOT NULL;
ALTER TABLE engine.replayed_records ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.replayed_records FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.replayed_records TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.replayed_records TO neurigraph_request
    USING (user_id = (SELECT engine.principal_user())) WITH CHECK (user_id = (SELECT engine.principal_user()));
GRANT SELECT, INSERT, UPDATE, DELETE ON engine.replayed_records TO neurigraph_request;

-- Records of a user in the order of node and record, after one of them; with the caller's rights.
CREATE FUNCTION engine.records_after(p_user uuid, p_node uuid, p_record uuid, p_most integer)
RETURNS TABLE (node_id uuid, schema_name text, record_id uuid)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
DECLARE
    part engine.nodes;
    wanted integer := p_most;
    given integer;
BEGIN
    FOR part IN SELECT * FROM engine.nodes AS n WHERE n.user_id = p_user AND n.state = 'live' AND n.node_id >= p_node ORDER BY n.node_id LOOP
        RETURN QUERY EXECUTE format('SELECT $1, $2, r.record_id FROM %I.metadata_records AS r'
                                    ' WHERE r.state = ''live'' AND ($3 IS NULL OR r.record_id > $3) %s'
                                    ' ORDER BY r.record_id LIMIT $4',
                                    part.schema_name, CASE WHEN part.template_version >= 3 THEN 'AND r.version_of IS NULL' END)
        USING part.node_id, part.schema_name, CASE WHEN part.node_id = p_node THEN p_record END, wanted;
        GET DIAGNOSTICS given = ROW_COUNT;
        wanted := wanted - given;
        EXIT WHEN wanted = 0;
    END LOOP;
END $$;

-- How many such records there are.
CREATE FUNCTION engine.records_there(p_user uuid) RETURNS bigint
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
DECLARE
    part engine.nodes;
    found bigint;
    total bigint := 0;
BEGIN
    FOR part IN SELECT * FROM engine.nodes AS n WHERE n.user_id = p_user AND n.state = 'live' LOOP
        EXECUTE format('SELECT count(*) FROM %I.metadata_records WHERE state = ''live'' %s',
                       part.schema_name, CASE WHEN part.template_version >= 3 THEN 'AND version_of IS NULL' END) INTO found;
        total := total + found;
    END LOOP;
    RETURN total;
END $$;

-- Staged records that are not at the revision any more that they were made from, one page; `there`: whether they hold at their node.
CREATE FUNCTION engine.replayed_outdated(p_replay uuid, p_most integer)
RETURNS TABLE (node_id uuid, schema_name text, record_id uuid, there boolean)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
DECLARE
    part record;
    wanted integer := p_most;
    given integer;
BEGIN
    FOR part IN SELECT n.node_id, n.schema_name FROM engine.nodes AS n WHERE n.node_id IN (
                    SELECT s.node_id FROM engine.replayed_records AS s WHERE s.replay_id = p_replay AND s.plan IS NOT NULL) ORDER BY 1 LOOP
        RETURN QUERY EXECUTE format(
            'SELECT $2, $3, s.record_id, coalesce(r.known_to IS NULL AND r.record_id IS NOT NULL, false)'
            ' FROM engine.replayed_records AS s'
            ' LEFT JOIN %I.metadata_records AS r ON r.record_id = s.record_id AND r.version_of IS NULL'
            ' WHERE s.replay_id = $1 AND s.node_id = $2 AND s.plan IS NOT NULL AND r.revision IS DISTINCT FROM s.revision'
            ' ORDER BY s.record_id LIMIT $4', part.schema_name)
        USING p_replay, part.node_id, part.schema_name, wanted;
        GET DIAGNOSTICS given = ROW_COUNT;
        wanted := wanted - given;
        EXIT WHEN wanted = 0;
    END LOOP;
END $$;

-- How what is staged differs from what is there.
CREATE FUNCTION engine.replay_counts(p_replay uuid) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog
BEGIN ATOMIC
    SELECT jsonb_build_object(
        'records', count(*), 'differing', count(s.plan), 'kept', coalesce(sum(s.kept), 0), 'added', coalesce(sum(s.added), 0),
        'ended', coalesce(sum(s.ended), 0), 'summaries', count(*) FILTER (WHERE s.summary),
        'keywords', count(*) FILTER (WHERE s.keywords), 'missing', count(*) FILTER (WHERE s.missing))
    FROM engine.replayed_records AS s WHERE s.replay_id = p_replay;
END;
REVOKE ALL ON FUNCTION engine.records_after, engine.records_there, engine.replayed_outdated, engine.replay_counts FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.records_after, engine.records_there, engine.replayed_outdated, engine.replay_counts TO neurigraph_request;
