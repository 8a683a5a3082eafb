-- The life of files: dormant, rehydrating, active. The object that was written with a file is the file, and no transition
-- touches it. To be awake is to have a restored copy beside it (files stored as they are need none) and a row here; to
-- fall asleep is to lose both, the row first. So whatever dies when, the file can be read.
--
--   dormant      no row
--   rehydrating  a row with a claim: its holder restores until claimed_until, and may prolong that. When the time is over
--                whoever comes next takes the file over under a claim of its own
--   active       a row; the copy lies under the row's claim, so no two restorations write or delete the same copy
--
-- Every transition is one function call: it moves the row here, the state in the node's manifest, the log and the state of
-- the node in one transaction. Locks are taken in this order: file, node.

-- Files that are not dormant. Looked at by the service and by the functions below only.
CREATE TABLE engine.awake_files (
    node_id       uuid NOT NULL REFERENCES engine.nodes,
    file_id       uuid NOT NULL,
    user_id       uuid NOT NULL REFERENCES engine.users,
    state         text NOT NULL CHECK (state IN ('rehydrating', 'active')),
    since         timestamptz NOT NULL,
    accessed_at   timestamptz NOT NULL,
    woken_by      text NOT NULL CHECK (woken_by IN ('retrieval', 'manual', 'recovery')),
    by_hand       boolean NOT NULL,  -- stays awake until put to sleep, or not used for long
    due_at        timestamptz,       -- when the time after a retrieval is over
    claim_id      uuid NOT NULL UNIQUE,
    claimed_until timestamptz,
    attempt       integer NOT NULL DEFAULT 1,
    PRIMARY KEY (node_id, file_id),
    CHECK ((state = 'rehydrating') = (claimed_until IS NOT NULL)),
    CHECK ((due_at IS NOT NULL) = (state = 'active' AND NOT by_hand))
);
CREATE INDEX awake_due ON engine.awake_files (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX awake_by_hand ON engine.awake_files (accessed_at) WHERE by_hand AND state = 'active';
CREATE INDEX awake_claimed ON engine.awake_files (node_id) WHERE state = 'rehydrating';
ALTER TABLE engine.awake_files ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.awake_files FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.awake_files TO CURRENT_USER USING (true) WITH CHECK (true);

-- Every transition with its cause, and every review of one that went wrong. Nobody changes or deletes a line.
CREATE TABLE engine.compression_state_log (
    entry_id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    occurred_at  timestamptz NOT NULL,  -- by the engine's clock
    recorded_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    user_id      uuid NOT NULL,
    node_id      uuid NOT NULL,
    file_id      uuid NOT NULL,
    from_state   text NOT NULL CHECK (from_state IN ('active', 'dormant', 'rehydrating')),
    to_state     text NOT NULL CHECK (to_state IN ('active', 'dormant', 'rehydrating')),
    trigger      text NOT NULL CHECK (trigger IN ('retrieval', 'ttl', 'dormancy', 'manual', 'recovery', 'error', 'review')),
    actor_kind   text NOT NULL,
    actor_id     uuid,
    claim_id     uuid,  -- of which restoration; entries of one restoration share it
    detail       text NOT NULL DEFAULT '' CHECK (char_length(detail) <= 500),
    needs_review boolean NOT NULL DEFAULT false,
    reviews      bigint UNIQUE REFERENCES engine.compression_state_log,
    CHECK ((trigger = 'review') = (reviews IS NOT NULL)),
    CHECK (NOT (needs_review AND trigger = 'review'))
);
CREATE INDEX state_log_of_user ON engine.compression_state_log (user_id, entry_id);
CREATE INDEX state_log_of_file ON engine.compression_state_log (node_id, file_id, entry_id);
CREATE INDEX state_log_to_review ON engine.compression_state_log (user_id, entry_id) WHERE needs_review;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON engine.compression_state_log
    FOR EACH ROW EXECUTE FUNCTION engine.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON engine.compression_state_log
    FOR EACH STATEMENT EXECUTE FUNCTION engine.refuse_change();
ALTER TABLE engine.compression_state_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.compression_state_log FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.compression_state_log TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.compression_state_log FOR SELECT TO neurigraph_request
    USING (user_id = (SELECT engine.principal_user()));
GRANT SELECT ON engine.compression_state_log TO neurigraph_request;

-- The state of a node as it follows from its files, and how far the graph has been told. `seq` is the last entry of the
-- log about the node, taken under the lock of this row: a greater one is always the later state.
CREATE TABLE engine.node_states (
    node_id    uuid PRIMARY KEY REFERENCES engine.nodes,
    state      text NOT NULL CHECK (state IN ('active', 'dormant', 'rehydrating')),
    seq        bigint NOT NULL,
    told_seq   bigint NOT NULL DEFAULT -1,
    changed_at timestamptz NOT NULL
);
CREATE INDEX node_states_untold ON engine.node_states (node_id) WHERE told_seq < seq;
ALTER TABLE engine.node_states ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.node_states FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.node_states TO CURRENT_USER USING (true) WITH CHECK (true);

-- The schema of a node whose file the principal may use in this mode; raises as for a missing one where it may not.
CREATE FUNCTION engine.schema_of_file(p_mode text, p_node uuid, p_file uuid) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
DECLARE
    found_schema text := (SELECT n.schema_name FROM engine.nodes AS n
                          WHERE n.node_id = p_node AND n.state = 'live' AND n.known_to IS NULL);
    allowed boolean;
BEGIN
    IF found_schema IS NOT NULL AND engine.can(p_mode, p_node, 'files') THEN
        EXECUTE format('SELECT r.privacy <> ''private'' OR engine.owns($2) FROM %1$I.file_manifest AS f'
                       ' JOIN %1$I.metadata_records AS r USING (record_id) WHERE f.file_id = $1 AND r.state = ''live''', found_schema)
        INTO allowed USING p_file, p_node;
    END IF;
    IF allowed IS NOT TRUE THEN
        RAISE EXCEPTION 'There is no such file.' USING ERRCODE = 'NG404';
    END IF;
    RETURN found_schema;
END $$;
REVOKE ALL ON FUNCTION engine.schema_of_file FROM PUBLIC;

-- The rest of every transition, after the row of the file was moved: manifest, log, state of the node. Returns where the
-- file is stored; NULL where the manifest does not know it any more.
CREATE FUNCTION engine.note_file_state(p_file engine.awake_files, p_from text, p_to text, p_trigger text, p_now timestamptz,
                                       p_detail text DEFAULT '', p_review boolean DEFAULT false) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
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
REVOKE ALL ON FUNCTION engine.note_file_state FROM PUBLIC;

-- A reader wants the file awake. Answers with its state now: `active` (its time is prolonged), `rehydrating` (`mine`: the
-- caller holds the claim and restores), or `failed`: the restoration that the caller waited for (p_waited) found it damaged.
-- p_lost is the claim of a copy that the caller found missing or damaged; the file is then restored once more.
CREATE FUNCTION engine.claim_file(p_node uuid, p_file uuid, p_claim uuid, p_by_hand boolean, p_now timestamptz, p_lease timestamptz,
                                  p_until timestamptz, p_lost uuid, p_waited uuid)
RETURNS TABLE (state text, since timestamptz, due_at timestamptz, by_hand boolean, claim_id uuid, mine boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
#variable_conflict use_column
DECLARE
    node_schema text := engine.schema_of_file('read', p_node, p_file);
    cause text := CASE WHEN p_by_hand THEN 'manual' ELSE 'retrieval' END;
    file engine.awake_files;
    before engine.awake_files;
BEGIN
    SELECT * INTO file FROM engine.awake_files AS a WHERE a.node_id = p_node AND a.file_id = p_file;
    IF file.state = 'active' AND file.claim_id IS DISTINCT FROM p_lost AND (file.by_hand OR NOT p_by_hand)
       AND file.accessed_at > p_now - interval '1 second' THEN  -- many readers at once: one of them prolongs
        RETURN QUERY SELECT file.state, file.since, file.due_at, file.by_hand, file.claim_id, false;
        RETURN;
    END IF;
    LOOP
        SELECT * INTO file FROM engine.awake_files AS a WHERE a.node_id = p_node AND a.file_id = p_file FOR UPDATE;
        EXIT WHEN file.file_id IS NOT NULL;
        IF EXISTS (SELECT FROM engine.compression_state_log AS l WHERE l.node_id = p_node AND l.file_id = p_file
                   AND l.claim_id = p_waited AND l.trigger = 'error' AND l.needs_review) THEN
            RETURN QUERY SELECT 'failed', p_now, NULL::timestamptz, false, p_waited, false;
            RETURN;
        END IF;
        INSERT INTO engine.awake_files (node_id, file_id, user_id, state, since, accessed_at, woken_by, by_hand, claim_id, claimed_until)
        SELECT p_node, p_file, n.user_id, 'rehydrating', p_now, p_now, cause, p_by_hand, p_claim, p_lease
        FROM engine.nodes AS n WHERE n.node_id = p_node
        ON CONFLICT DO NOTHING RETURNING * INTO file;
        IF file.file_id IS NOT NULL THEN
            PERFORM engine.note_file_state(file, 'dormant', 'rehydrating', cause, p_now);
            RETURN QUERY SELECT file.state, file.since, file.due_at, file.by_hand, file.claim_id, true;
            RETURN;
        END IF;  -- somebody else was faster, and may be asleep again by now
    END LOOP;
    before := file;
    IF file.state = 'active' AND file.claim_id IS DISTINCT FROM p_lost THEN
        UPDATE engine.awake_files AS a SET
            accessed_at = greatest(a.accessed_at, p_now), by_hand = a.by_hand OR p_by_hand,
            due_at = CASE WHEN NOT (a.by_hand OR p_by_hand) THEN greatest(a.due_at, p_until) END
        WHERE a.node_id = p_node AND a.file_id = p_file RETURNING a.* INTO file;
        IF file.by_hand AND NOT before.by_hand THEN
            PERFORM engine.note_file_state(file, 'active', 'active', 'manual', p_now, 'stays awake');
        ELSE
            EXECUTE format('UPDATE %I.file_manifest SET recompress_after = $2, last_accessed_at = greatest(last_accessed_at, $3)'
                           ' WHERE file_id = $1', node_schema) USING p_file, file.due_at, p_now;
        END IF;
    ELSIF file.state = 'active' OR (file.claimed_until <= p_now AND file.claim_id <> p_claim) THEN
        UPDATE engine.awake_files AS a SET
            state = 'rehydrating', since = p_now, due_at = NULL, claim_id = p_claim, claimed_until = p_lease, woken_by = 'recovery',
            by_hand = a.by_hand OR p_by_hand, attempt = a.attempt + 1, accessed_at = greatest(a.accessed_at, p_now)
        WHERE a.node_id = p_node AND a.file_id = p_file RETURNING a.* INTO file;
        PERFORM engine.note_file_state(file, before.state, 'rehydrating', 'recovery', p_now, CASE before.state
            WHEN 'active' THEN 'the restored copy was missing or damaged' ELSE 'its restoration had stopped; taken over' END,
            before.state = 'active');
    ELSIF p_by_hand AND NOT file.by_hand THEN
        UPDATE engine.awake_files AS a SET by_hand = true WHERE a.node_id = p_node AND a.file_id = p_file RETURNING a.* INTO file;
    END IF;
    RETURN QUERY SELECT file.state, file.since, file.due_at, file.by_hand, file.claim_id,
                        file.state = 'rehydrating' AND file.claim_id = p_claim;
END $$;
REVOKE ALL ON FUNCTION engine.claim_file FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.claim_file TO neurigraph_request;

-- The state of a file for whoever may read it. `failure` tells why its last restoration failed, where it did.
CREATE FUNCTION engine.file_state(p_node uuid, p_file uuid)
RETURNS TABLE (state text, since timestamptz, due_at timestamptz, by_hand boolean, failure text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
#variable_conflict use_column
BEGIN
    PERFORM engine.schema_of_file('read', p_node, p_file);
    RETURN QUERY
        SELECT coalesce(a.state, 'dormant'), coalesce(a.since, l.occurred_at), a.due_at, coalesce(a.by_hand, false),
               CASE WHEN a.file_id IS NULL AND l.trigger = 'error' THEN l.detail END
        FROM (VALUES (p_node, p_file)) AS asked (node_id, file_id)
        LEFT JOIN engine.awake_files AS a USING (node_id, file_id)
        LEFT JOIN LATERAL (SELECT e.occurred_at, e.trigger, e.detail FROM engine.compression_state_log AS e
                           WHERE e.node_id = p_node AND e.file_id = p_file AND e.trigger <> 'review'
                           ORDER BY e.entry_id DESC LIMIT 1) AS l ON true;
END $$;
REVOKE ALL ON FUNCTION engine.file_state FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.file_state TO neurigraph_request;

-- Puts a file to sleep for whoever may write to its node. Returns the claim of the copy to delete and where the file is
-- stored; no row where it slept already. Refuses while it is being restored.
CREATE FUNCTION engine.sleep_file(p_node uuid, p_file uuid, p_now timestamptz) RETURNS TABLE (claim_id uuid, storage_path text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
#variable_conflict use_column
DECLARE
    file engine.awake_files;
BEGIN
    PERFORM engine.schema_of_file('write', p_node, p_file);
    SELECT * INTO file FROM engine.awake_files AS a WHERE a.node_id = p_node AND a.file_id = p_file FOR UPDATE;
    IF file.file_id IS NULL THEN
        RETURN;
    END IF;
    IF file.claimed_until > p_now THEN
        RAISE EXCEPTION 'The file is being restored.' USING ERRCODE = 'NG409';
    END IF;
    DELETE FROM engine.awake_files AS a WHERE a.node_id = p_node AND a.file_id = p_file;
    RETURN QUERY SELECT file.claim_id, engine.note_file_state(file, file.state, 'dormant', 'manual', p_now);
END $$;
REVOKE ALL ON FUNCTION engine.sleep_file FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.sleep_file TO neurigraph_request;

-- The copy is there and verified: active. False when the claim was taken over meanwhile. Service only.
CREATE FUNCTION engine.file_restored(p_node uuid, p_file uuid, p_claim uuid, p_now timestamptz, p_until timestamptz) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
    file engine.awake_files;
BEGIN
    UPDATE engine.awake_files AS a SET state = 'active', since = p_now, claimed_until = NULL, due_at = CASE WHEN NOT a.by_hand THEN p_until END
    WHERE a.node_id = p_node AND a.file_id = p_file AND a.claim_id = p_claim AND a.state = 'rehydrating' RETURNING a.* INTO file;
    IF file.file_id IS NULL THEN
        RETURN false;
    END IF;
    PERFORM engine.note_file_state(file, 'rehydrating', 'active', file.woken_by, p_now);
    RETURN true;
END $$;
REVOKE ALL ON FUNCTION engine.file_restored FROM PUBLIC;

-- The restoration failed: dormant again, with the cause. False when the claim was taken over meanwhile. Service only.
CREATE FUNCTION engine.file_failed(p_node uuid, p_file uuid, p_claim uuid, p_now timestamptz, p_detail text, p_review boolean)
RETURNS boolean LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
    file engine.awake_files;
BEGIN
    DELETE FROM engine.awake_files AS a WHERE a.node_id = p_node AND a.file_id = p_file AND a.claim_id = p_claim
        AND a.state = 'rehydrating' RETURNING a.* INTO file;
    IF file.file_id IS NULL THEN
        RETURN false;
    END IF;
    PERFORM engine.note_file_state(file, 'rehydrating', 'dormant', 'error', p_now, p_detail, p_review);
    RETURN true;
END $$;
REVOKE ALL ON FUNCTION engine.file_failed FROM PUBLIC;

-- Puts up to p_limit files to sleep: those whose time after a retrieval is over, those woken by hand and not used since
-- p_unused, those whose restoration stopped. Files that another sweep or a reader works on are passed over. Service only.
CREATE FUNCTION engine.sweep_files(p_now timestamptz, p_unused timestamptz, p_limit integer)
RETURNS TABLE (node_id uuid, claim_id uuid, storage_path text, cause text)
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
#variable_conflict use_column
DECLARE
    file engine.awake_files;
    why text;
BEGIN
    FOR file IN
        WITH picked AS MATERIALIZED (
            SELECT a.* FROM engine.awake_files AS a
            WHERE a.due_at <= p_now OR (a.by_hand AND a.state = 'active' AND a.accessed_at <= p_unused)
               OR (a.state = 'rehydrating' AND a.claimed_until <= p_now)
            LIMIT p_limit FOR UPDATE SKIP LOCKED
        )
        SELECT * FROM picked ORDER BY node_id, file_id
    LOOP
        why := CASE WHEN file.state = 'rehydrating' THEN 'recovery' WHEN file.by_hand THEN 'dormancy' ELSE 'ttl' END;
        DELETE FROM engine.awake_files AS a WHERE a.node_id = file.node_id AND a.file_id = file.file_id;
        RETURN QUERY SELECT file.node_id, file.claim_id, engine.note_file_state(file, file.state, 'dormant', why, p_now,
            CASE why WHEN 'recovery' THEN 'its restoration had stopped' ELSE '' END), why;
    END LOOP;
END $$;
REVOKE ALL ON FUNCTION engine.sweep_files FROM PUBLIC;

-- Its user has looked at an entry that needed it: one more entry. Again, the same one.
CREATE FUNCTION engine.review_file_state(p_entry bigint, p_note text, p_now timestamptz) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    looked_at engine.compression_state_log;
    made bigint;
BEGIN
    SELECT * INTO looked_at FROM engine.compression_state_log AS l
    WHERE l.entry_id = p_entry AND l.needs_review AND l.user_id = engine.principal_user();
    IF looked_at.entry_id IS NULL THEN
        RAISE EXCEPTION 'There is no such entry.' USING ERRCODE = 'NG404';
    END IF;
    INSERT INTO engine.compression_state_log (occurred_at, user_id, node_id, file_id, from_state, to_state, trigger, actor_kind,
                                              actor_id, claim_id, detail, reviews)
    VALUES (p_now, looked_at.user_id, looked_at.node_id, looked_at.file_id, looked_at.to_state, looked_at.to_state, 'review',
            engine.principal_kind(), engine.principal_id(), looked_at.claim_id, left(p_note, 500), p_entry)
    ON CONFLICT (reviews) DO NOTHING RETURNING entry_id INTO made;
    RETURN coalesce(made, (SELECT l.entry_id FROM engine.compression_state_log AS l WHERE l.reviews = p_entry));
END $$;
REVOKE ALL ON FUNCTION engine.review_file_state FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.review_file_state TO neurigraph_request;

-- How many files of these nodes have another state in their manifest than they have, for the comparison of the stores. Service only.
CREATE FUNCTION engine.wrong_file_states(p_nodes uuid[]) RETURNS TABLE (node_id uuid, files bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
#variable_conflict use_column
DECLARE
    n record;
BEGIN
    FOR n IN SELECT m.node_id, m.schema_name FROM engine.nodes AS m
             WHERE m.node_id = ANY (p_nodes) AND to_regclass(format('%I.file_manifest', m.schema_name)) IS NOT NULL LOOP
        node_id := n.node_id;
        EXECUTE format('SELECT count(*) FROM %I.file_manifest AS f LEFT JOIN engine.awake_files AS a'
                       ' ON a.node_id = $1 AND a.file_id = f.file_id'
                       ' WHERE f.compression_state <> coalesce(a.state, ''dormant'')', n.schema_name) INTO files USING n.node_id;
        IF files > 0 THEN
            RETURN NEXT;
        END IF;
    END LOOP;
END $$;
REVOKE ALL ON FUNCTION engine.wrong_file_states FROM PUBLIC;

-- Until now opening a file only wrote `active` into its manifest, and nothing put it back. No copy was made, so all sleep.
DROP FUNCTION engine.file_opened;
DO $$
DECLARE
    n record;
BEGIN
    FOR n IN SELECT * FROM engine.nodes WHERE state = 'live' LOOP
        EXECUTE format('WITH moved AS (UPDATE %1$I.file_manifest SET compression_state = ''dormant'', recompress_after = NULL'
                       ' WHERE compression_state <> ''dormant'' RETURNING file_id)'
                       ' INSERT INTO engine.compression_state_log (occurred_at, user_id, node_id, file_id, from_state, to_state, trigger,'
                       ' actor_kind, detail) SELECT now(), $1, $2, file_id, ''active'', ''dormant'', ''recovery'', ''service'','
                       ' ''files are restored into copies from now on'' FROM moved', n.schema_name) USING n.user_id, n.node_id;
        EXECUTE format('INSERT INTO engine.node_states (node_id, state, seq, changed_at) SELECT $1, ''dormant'', 0, now()'
                       ' WHERE EXISTS (SELECT FROM %I.file_manifest)', n.schema_name) USING n.node_id;
    END LOOP;
END $$;
