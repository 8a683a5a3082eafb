-- Damage is told as damage; a commit that cannot be finished is set aside instead of holding up all others.

-- Damaged nodes ------------------------------------------------------------------------------------------------------

-- What the catalog says is wrong with a node's tables; NULL where they are whole. Columns are compared where the tables are of the newest
-- version. Cheap enough to be asked for many nodes, and asked only after something failed, or by the doctor.
CREATE FUNCTION engine.node_damage(p_schema text, p_template integer) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    place oid := to_regnamespace(quote_ident(p_schema));
    owned record;
    absent text;
BEGIN
    IF place IS NULL THEN
        RETURN 'its schema is missing';
    ELSIF NOT has_schema_privilege('neurigraph_request', place, 'USAGE') THEN
        RETURN 'its schema may not be read';
    END IF;
    FOR owned IN SELECT t.oid AS model, t.relname AS name, c.oid AS place, c.relrowsecurity AND c.relforcerowsecurity AS guarded
                 FROM pg_class AS t LEFT JOIN pg_class AS c ON c.relnamespace = place AND c.relname = t.relname AND c.relkind = 'r'
                 WHERE t.relnamespace = 'template'::regnamespace AND t.relkind = 'r' ORDER BY t.relname
    LOOP
        IF owned.place IS NULL THEN
            RETURN format('its table %s is missing', owned.name);
        ELSIF NOT owned.guarded OR NOT has_table_privilege('neurigraph_request', owned.place, 'SELECT') THEN
            RETURN format('the rights on its table %s are missing', owned.name);
        END IF;
        CONTINUE WHEN p_template < engine.template_version();
        SELECT m.attname INTO absent FROM pg_attribute AS m
        WHERE m.attrelid = owned.model AND m.attnum > 0 AND NOT m.attisdropped AND NOT EXISTS (
            SELECT FROM pg_attribute AS a WHERE a.attrelid = owned.place AND a.attname = m.attname AND NOT a.attisdropped)
        ORDER BY m.attnum LIMIT 1;
        IF FOUND THEN
            RETURN format('the column %s of its table %s is missing', absent, owned.name);
        END IF;
    END LOOP;
    RETURN NULL;
END $$;

-- Which of these nodes of a graph (NULL: all) are damaged: by the catalog, or, where that finds nothing and `p_rows`, by reading each one
-- apart. For whoever asks: nodes that are hidden from the caller are not looked at.
CREATE FUNCTION engine.damaged_nodes(p_user uuid, p_nodes uuid[], p_rows boolean, p_query vector, p_version text)
RETURNS TABLE (node_id uuid, reason text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    node engine.nodes;
    none sparsevec := '{}/1000000';
BEGIN
    RETURN QUERY SELECT d.node_id, d.damage FROM (
        SELECT n.node_id, engine.node_damage(n.schema_name, n.template_version) AS damage FROM engine.nodes AS n
        WHERE n.user_id = p_user AND (p_nodes IS NULL OR n.node_id = ANY (p_nodes)) AND n.state = 'live') AS d
    WHERE d.damage IS NOT NULL;
    IF FOUND OR NOT p_rows THEN
        RETURN;
    END IF;
    FOR node IN SELECT n.* FROM engine.nodes AS n
                WHERE n.user_id = p_user AND (p_nodes IS NULL OR n.node_id = ANY (p_nodes)) AND n.state = 'live'
    LOOP
        BEGIN
            EXECUTE format('SELECT count(length(i.content) + length(r.title || r.summary)) FROM %1$I.memory_items AS i'
                           ' JOIN %1$I.metadata_records AS r USING (record_id) LEFT JOIN %1$I.file_manifest AS f USING (record_id)', node.schema_name);
            PERFORM count(s.words + s.meaning + s.record_words) FROM engine.search_scan(
                ARRAY[node.node_id], ARRAY[node.schema_name], ARRAY[node.template_version], p_query, p_version, none, none, NULL, NULL, '{}',
                now(), 'infinity') AS s;
        EXCEPTION
            WHEN undefined_function OR insufficient_resources OR operator_intervention THEN
                RAISE;
            WHEN OTHERS THEN
                node_id := node.node_id;
                reason := format('its rows cannot be read (%s)', SQLSTATE);
                RETURN NEXT;
        END;
    END LOOP;
END $$;
REVOKE ALL ON FUNCTION engine.node_damage, engine.damaged_nodes FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.node_damage, engine.damaged_nodes TO neurigraph_request;

-- Nodes that were found damaged when something failed there, for readiness; the doctor strikes off those that are whole again.
CREATE TABLE engine.damage (
    node_id  uuid PRIMARY KEY REFERENCES engine.nodes ON DELETE CASCADE,
    reason   text NOT NULL CHECK (char_length(reason) <= 500),
    noted_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
ALTER TABLE engine.damage ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.damage FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.damage TO CURRENT_USER USING (true) WITH CHECK (true);

-- Commits that are set aside -----------------------------------------------------------------------------------------

-- set_aside: the graph refused it so often that it waits for a person, who has it tried again or discards it.
-- discarded: undone, or given up where what it changed stays; it is never tried again.
ALTER TABLE engine.outbox DROP CONSTRAINT outbox_state_check,
    ADD CONSTRAINT outbox_state_check CHECK (state IN ('pending', 'done', 'set_aside', 'discarded')),
    ADD COLUMN retry_at timestamptz NOT NULL DEFAULT '-infinity';
CREATE INDEX outbox_set_aside ON engine.outbox (created_at) WHERE state = 'set_aside';

-- What became of such commits, by whom and why. Nobody changes or deletes a line.
CREATE TABLE engine.commit_log (
    entry_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    occurred_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    event       text NOT NULL CHECK (event IN ('set_aside', 'retried', 'discarded')),
    commit_id   uuid NOT NULL,
    user_id     uuid NOT NULL,  -- may be a user who was discarded
    kind        text NOT NULL,
    actor       text NOT NULL,
    detail      text NOT NULL DEFAULT ''
);
CREATE INDEX commit_log_of_commit ON engine.commit_log (commit_id, entry_id);
ALTER TABLE engine.commit_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.commit_log FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.commit_log TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON engine.commit_log FOR EACH ROW EXECUTE FUNCTION engine.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON engine.commit_log FOR EACH STATEMENT EXECUTE FUNCTION engine.refuse_change();

-- A source whose commit was set aside is neither stored nor free: whoever goes on with it is told so.
CREATE OR REPLACE FUNCTION engine.commit_is_pending(p_commit uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN coalesce((SELECT o.state IN ('pending', 'set_aside') FROM engine.outbox AS o 
                 WHERE o.commit_id = p_commit AND o.user_id = engine.principal_graph()), false);
CREATE FUNCTION engine.commit_is_set_aside(p_commit uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN EXISTS (SELECT FROM engine.outbox AS o
               WHERE o.commit_id = p_commit AND o.user_id = engine.principal_graph() AND o.state = 'set_aside');
REVOKE ALL ON FUNCTION engine.commit_is_set_aside FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.commit_is_set_aside TO neurigraph_request;

-- How far a source was stored before its last commit, so that discarding that commit takes it back there. NULL: not known.
ALTER TABLE engine.sources ADD COLUMN units_before integer CHECK (units_before >= 0), ADD COLUMN hash_before bytea,
    ADD COLUMN commit_before uuid;
CREATE OR REPLACE FUNCTION engine.advance_source(p_source text, p_seen integer, p_units integer, p_hash bytea, p_commit uuid)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF p_seen = 0 THEN
        INSERT INTO engine.sources (user_id, source_id, units, content_hash, commit_id, units_before)
        VALUES (engine.principal_graph(), p_source, p_units, p_hash, p_commit, 0) ON CONFLICT DO NOTHING;
    ELSE
        UPDATE engine.sources SET units = p_units, content_hash = p_hash, commit_id = p_commit, updated_at = now(),
               units_before = units, hash_before = content_hash, commit_before = commit_id
        WHERE user_id = engine.principal_graph() AND source_id = p_source AND units = p_seen;
    END IF;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'The source was stored by another request at the same time.' USING ERRCODE = 'NG409';
    END IF;
END $$;

-- Lines of logs that tell of a discarded write go with it; nothing else is ever deleted there.
CREATE OR REPLACE FUNCTION engine.refuse_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'DELETE' AND TG_TABLE_NAME IN ('delta_log', 'raw_resources', 'document_versions', 'assignments')
       AND current_setting('engine.discarding', true) = 'on' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'This table only grows.' USING ERRCODE = 'insufficient_privilege';
END $$;

-- The commits that have to be finished before this one can be: those that provision a node which it names.
CREATE FUNCTION engine.commits_before(p_commit uuid) RETURNS SETOF uuid
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT b.commit_id FROM engine.outbox AS b
    WHERE b.kind = 'node' AND b.state IN ('pending', 'set_aside') AND b.commit_id <> p_commit AND b.commit_id IN (
        SELECT CASE WHEN pg_input_is_valid(v #>> '{}', 'uuid') THEN (v #>> '{}')::uuid END FROM engine.outbox AS o,
            jsonb_path_query(o.payload, '$.** ? (@.type() == "object").keyvalue() ?'
                             ' (@.key like_regex "^(node_id|parent_id|source_id|target_id|moved_to)$").value') AS v
        WHERE o.commit_id = p_commit)
$$;

-- Takes the rows of a commit of records out of one node: they were never visible. Their words leave the counts, in the order in which
-- writers lock them.
CREATE FUNCTION engine.withdraw_records(p_commit uuid, p_schema text) RETURNS uuid[]
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    ids uuid[];
    items uuid[];
    units text[];
    terms integer[];
    counts integer[];
    locked bigint;
BEGIN
    EXECUTE format('SELECT array_agg(record_id) FROM %I.metadata_records WHERE commit_id = $1 AND state = ''pending''', p_schema)
    INTO ids USING p_commit;
    IF ids IS NULL THEN
        RETURN '{}';
    END IF;
    SELECT array_agg(c.unit), array_agg(c.term), array_agg(c.documents) INTO units, terms, counts
    FROM (SELECT w.unit, w.term, sum(w.documents)::integer AS documents FROM unnest(ids) AS r (id), engine.record_counts(p_schema, r.id) AS w
          GROUP BY 1, 2) AS c;
    EXECUTE format('SELECT count(*) FROM (SELECT FROM %I.term_counts AS t JOIN unnest($1, $2) AS m (unit, term) USING (unit, term)'
                   ' ORDER BY t.unit, t.term FOR UPDATE OF t) AS locked', p_schema) INTO locked USING units, terms;
    EXECUTE format('UPDATE %I.term_counts AS t SET documents = greatest(0, t.documents - m.documents)'
                   ' FROM unnest($1, $2, $3) AS m (unit, term, documents) WHERE t.unit = m.unit AND t.term = m.term', p_schema)
    USING units, terms, counts;
    EXECUTE format('WITH gone AS (DELETE FROM %I.memory_items WHERE record_id = ANY ($1) RETURNING item_id) SELECT array_agg(item_id) FROM gone',
                   p_schema) INTO items USING ids;
    EXECUTE format('DELETE FROM %I.file_manifest WHERE record_id = ANY ($1)', p_schema) USING ids;
    EXECUTE format('DELETE FROM %I.delta_log WHERE subject_id = ANY ($1)', p_schema) USING ids || items;
    EXECUTE format('DELETE FROM %I.metadata_records WHERE record_id = ANY ($1)', p_schema) USING ids;
    RETURN ids;
END $$;

-- Undoes a commit of records: rows, documents, resources, decisions; its sources stand where they stood before, but for those that
-- are streamed, which go on behind it. Its files are orphans from here on, and swept.
CREATE FUNCTION engine.discard_records(p_work engine.outbox) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    place text;
    ids uuid[] := '{}';
BEGIN
    -- All nodes of the user are looked at: the payload may be what is wrong with the commit.
    FOR place IN SELECT n.schema_name FROM engine.nodes AS n
                 WHERE n.user_id = p_work.user_id AND to_regclass(format('%I.metadata_records', n.schema_name)) IS NOT NULL ORDER BY 1
    LOOP
        ids := ids || engine.withdraw_records(p_work.commit_id, place);
    END LOOP;
    DELETE FROM engine.unread_records AS u WHERE u.record_id = ANY (ids);
    DELETE FROM engine.assignments AS a WHERE a.record_id = ANY (ids);
    DELETE FROM engine.document_versions AS v WHERE v.commit_id = p_work.commit_id AND v.document_id = ANY (ids);
    DELETE FROM engine.documents AS d WHERE d.document_id = ANY (ids);
    DELETE FROM engine.raw_resources AS r WHERE r.commit_id = p_work.commit_id;
    DELETE FROM engine.sources AS s WHERE s.commit_id = p_work.commit_id AND s.units_before = 0
        AND NOT EXISTS (SELECT FROM engine.conversations AS c WHERE c.user_id = s.user_id AND c.source_id = s.source_id);
    UPDATE engine.sources AS s SET units = s.units_before, content_hash = s.hash_before, commit_id = s.commit_before,
           units_before = NULL, hash_before = NULL, commit_before = NULL, updated_at = now()
    WHERE s.commit_id = p_work.commit_id AND s.units_before > 0
      AND NOT EXISTS (SELECT FROM engine.conversations AS c WHERE c.user_id = s.user_id AND c.source_id = s.source_id);
END $$;

-- Undoes the provisioning of a node that nobody ever saw: schema, registry, and for a root its user. The name is free again.
CREATE FUNCTION engine.discard_node(p_work engine.outbox) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    node engine.nodes;
BEGIN
    SELECT * INTO node FROM engine.nodes AS n WHERE n.node_id = p_work.commit_id AND n.state = 'pending' FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    EXECUTE format('DROP SCHEMA IF EXISTS %I CASCADE', node.schema_name);
    DELETE FROM engine.pending_vectors AS p WHERE p.node_id = node.node_id;
    DELETE FROM engine.nodes AS n WHERE n.node_id = node.node_id;
    IF node.layer = 0 THEN
        DELETE FROM engine.users AS u WHERE u.user_id = node.user_id;
    END IF;
EXCEPTION WHEN foreign_key_violation THEN
    RAISE EXCEPTION 'Something else hangs on this node.' USING ERRCODE = 'NG409';
END $$;

-- Discards a commit that was set aside: a node and records are undone, a grant is revoked. A change of what is stored stays in Postgres;
-- only the graph's part is given up, and the doctor tells where the stores differ. A revocation is never given up (NG409). What waits
-- for the node is discarded with it.
-- Service only, in the transaction that holds the row. NG404: not set aside.
CREATE FUNCTION engine.discard_commit(p_commit uuid, p_actor text, p_reason text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    work engine.outbox;
    later uuid;
BEGIN
    SELECT * INTO work FROM engine.outbox AS o WHERE o.commit_id = p_commit AND o.state = 'set_aside' FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'No such commit is set aside.' USING ERRCODE = 'NG404';
    ELSIF work.kind = 'revoked' THEN
        RAISE EXCEPTION 'A revocation is not discarded.' USING ERRCODE = 'NG409';
    END IF;
    PERFORM set_config('engine.discarding', 'on', true);
    INSERT INTO engine.commit_log (event, commit_id, user_id, kind, actor, detail)
    VALUES ('discarded', p_commit, work.user_id, work.kind, p_actor, p_reason);
    IF work.kind = 'node' THEN
        FOR later IN SELECT o.commit_id FROM engine.outbox AS o
                     WHERE o.user_id = work.user_id AND o.state IN ('pending', 'set_aside') AND o.commit_id <> p_commit
                       AND p_commit IN (SELECT engine.commits_before(o.commit_id)) ORDER BY o.created_at DESC
        LOOP
            UPDATE engine.outbox AS o SET state = 'set_aside' WHERE o.commit_id = later;
            PERFORM engine.discard_commit(later, p_actor, 'it belongs to the discarded ' || p_commit);
        END LOOP;
        DELETE FROM engine.outbox AS o WHERE o.commit_id = p_commit;
        PERFORM engine.discard_node(work);
        RETURN;
    ELSIF work.kind = 'records' THEN
        PERFORM engine.discard_records(work);
    ELSIF work.kind = 'granted' THEN
        UPDATE engine.grants AS g SET revoked_at = clock_timestamp() WHERE g.grant_id = p_commit AND g.revoked_at IS NULL;
    END IF;
    UPDATE engine.outbox AS o SET state = 'discarded' WHERE o.commit_id = p_commit;
END $$;
REVOKE ALL ON FUNCTION engine.commits_before, engine.withdraw_records, engine.discard_records, engine.discard_node, engine.discard_commit
    FROM PUBLIC;
