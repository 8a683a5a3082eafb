-- One commit over three stores. The content is committed with a row in the outbox that says what the graph
-- still has to learn; the graph learns it, then the content is marked live and the row done. Whatever a
-- crash leaves is a pending row, and is finished from there: at start, and by a job.

CREATE TABLE engine.outbox (
    commit_id    uuid PRIMARY KEY,
    user_id      uuid NOT NULL REFERENCES engine.users,
    kind         text NOT NULL CHECK (kind IN ('node', 'records')),
    payload      jsonb NOT NULL,
    state        text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'done')),
    created_at   timestamptz NOT NULL DEFAULT now(),
    done_at      timestamptz,
    attempts     integer NOT NULL DEFAULT 0,
    last_failure text,
    CHECK ((state = 'done') = (done_at IS NOT NULL))
);
CREATE INDEX outbox_pending ON engine.outbox (created_at) WHERE state = 'pending';
CREATE INDEX outbox_user ON engine.outbox (user_id, created_at);
ALTER TABLE engine.outbox ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.outbox FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.outbox TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.outbox TO neurigraph_request
    USING (user_id = (SELECT engine.principal_user())) WITH CHECK (user_id = (SELECT engine.principal_user()));
GRANT SELECT, INSERT ON engine.outbox TO neurigraph_request;

-- What has been taken in from where: a source's units (turns, or 1 for a file) are stored once, in order.
CREATE TABLE engine.sources (
    user_id      uuid NOT NULL REFERENCES engine.users,
    source_id    text NOT NULL CHECK (char_length(source_id) BETWEEN 1 AND 500),
    units        integer NOT NULL CHECK (units > 0),
    content_hash bytea NOT NULL CHECK (octet_length(content_hash) = 32),
    commit_id    uuid NOT NULL,
    updated_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, source_id)
);
ALTER TABLE engine.sources ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.sources FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.sources TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.sources TO neurigraph_request
    USING (user_id = (SELECT engine.principal_user())) WITH CHECK (user_id = (SELECT engine.principal_user()));
GRANT SELECT, INSERT, UPDATE ON engine.sources TO neurigraph_request;

-- Moves a source forward from `p_seen` stored units to `p_units`; refuses when somebody else was faster.
CREATE FUNCTION engine.advance_source(p_source text, p_seen integer, p_units integer, p_hash bytea, p_commit uuid)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
    IF p_seen = 0 THEN
        INSERT INTO engine.sources (user_id, source_id, units, content_hash, commit_id)
        VALUES (engine.principal_user(), p_source, p_units, p_hash, p_commit) ON CONFLICT DO NOTHING;
    ELSE
        UPDATE engine.sources SET units = p_units, content_hash = p_hash, commit_id = p_commit, updated_at = now()
        WHERE user_id = engine.principal_user() AND source_id = p_source AND units = p_seen;
    END IF;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'The source was stored by another request at the same time.' USING ERRCODE = 'NG409';
    END IF;
END $$;

-- Answers of writes that came with an idempotency key, so that a repeated request gets the same answer.
CREATE TABLE engine.idempotency (
    user_id      uuid NOT NULL REFERENCES engine.users,
    key          text NOT NULL CHECK (char_length(key) BETWEEN 1 AND 200),
    request_hash bytea NOT NULL CHECK (octet_length(request_hash) = 32),
    answer       jsonb,
    created_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, key)
);
ALTER TABLE engine.idempotency ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.idempotency FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.idempotency TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.idempotency TO neurigraph_request
    USING (user_id = (SELECT engine.principal_user())) WITH CHECK (user_id = (SELECT engine.principal_user()));
GRANT SELECT, INSERT, UPDATE ON engine.idempotency TO neurigraph_request;

-- Events of the hierarchy worth keeping: a node asked for below layer 5, what was done instead.
CREATE TABLE engine.hierarchy_log (
    event_id    uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id     uuid NOT NULL REFERENCES engine.users,
    node_id     uuid NOT NULL REFERENCES engine.nodes,
    event       text NOT NULL CHECK (event IN ('too_deep')),
    detail      jsonb NOT NULL,
    occurred_at timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE engine.hierarchy_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.hierarchy_log FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.hierarchy_log TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.hierarchy_log TO neurigraph_request
    USING (user_id = (SELECT engine.principal_user())) WITH CHECK (user_id = (SELECT engine.principal_user()));
GRANT SELECT, INSERT ON engine.hierarchy_log TO neurigraph_request;

-- Registers a node and creates its schema; or finds the sibling that already has the name. The schema names
-- are tried in the order given (the readable one first, then one that cannot clash).
CREATE FUNCTION engine.provision_node(p_node uuid, p_parent uuid, p_name text, p_key text, p_type text,
                                      p_schemas text[], p_payload jsonb)
RETURNS TABLE (node_id uuid, schema_name text, layer integer, state text, node_type text, created boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
#variable_conflict use_column
DECLARE
    parent engine.nodes;
    candidate text;
BEGIN
    SELECT * INTO parent FROM engine.nodes AS n WHERE n.node_id = p_parent AND n.state = 'live' AND n.known_to IS NULL;
    IF parent.node_id IS NULL OR NOT engine.can('write', p_parent) THEN
        RAISE EXCEPTION 'There is no such node.' USING ERRCODE = 'NG404';
    END IF;
    IF parent.layer >= 5 THEN
        RAISE EXCEPTION 'A node cannot lie deeper than layer 5.' USING ERRCODE = 'NG422';
    END IF;
    FOREACH candidate IN ARRAY p_schemas LOOP
        INSERT INTO engine.nodes (node_id, user_id, parent_id, name, name_key, node_type, layer, schema_name, template_version)
        VALUES (p_node, parent.user_id, p_parent, p_name, p_key, p_type, parent.layer + 1, candidate, engine.template_version())
        ON CONFLICT DO NOTHING;
        IF FOUND THEN
            PERFORM engine.create_node_schema(p_node, candidate);
            INSERT INTO engine.outbox (commit_id, user_id, kind, payload)
            VALUES (p_node, parent.user_id, 'node', jsonb_set(p_payload, '{node}', (p_payload -> 'node')
                    || jsonb_build_object('layer', parent.layer + 1, 'schema_name', candidate)));
            RETURN QUERY SELECT p_node, candidate, parent.layer + 1, 'pending', p_type, true;
            RETURN;
        END IF;
        RETURN QUERY SELECT n.node_id, n.schema_name, n.layer::integer, n.state, n.node_type, false FROM engine.nodes AS n
                     WHERE n.user_id = parent.user_id AND n.parent_id = p_parent AND n.name_key = p_key;
        IF FOUND THEN
            RETURN;
        END IF;
    END LOOP;
    RAISE EXCEPTION 'No schema name is free.' USING ERRCODE = 'NG409';
END $$;

-- Registers a user with the root node, or finds the one with this handle. Called by the service only.
CREATE FUNCTION engine.provision_user(p_user uuid, p_workspace text, p_handle text, p_name text, p_key text,
                                      p_schemas text[], p_payload jsonb)
RETURNS TABLE (user_id uuid, node_id uuid, schema_name text, display_name text, state text, created boolean)
LANGUAGE plpgsql SET search_path = pg_catalog, public AS $$
#variable_conflict use_column
DECLARE
    space uuid;
    candidate text;
BEGIN
    INSERT INTO engine.workspaces (workspace_id, name) VALUES (gen_random_uuid(), p_workspace) ON CONFLICT DO NOTHING;
    SELECT w.workspace_id INTO space FROM engine.workspaces AS w WHERE w.name = p_workspace;
    INSERT INTO engine.users (user_id, workspace_id, handle, display_name) VALUES (p_user, space, p_handle, p_name)
    ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        RETURN QUERY SELECT u.user_id, n.node_id, n.schema_name, u.display_name, n.state, false
                     FROM engine.users AS u JOIN engine.nodes AS n ON n.user_id = u.user_id AND n.layer = 0
                     WHERE u.workspace_id = space AND u.handle = p_handle;
        RETURN;
    END IF;
    FOREACH candidate IN ARRAY p_schemas LOOP
        INSERT INTO engine.nodes (node_id, user_id, name, name_key, node_type, layer, schema_name, template_version)
        VALUES (p_user, p_user, p_name, p_key, 'user', 0, candidate, engine.template_version()) ON CONFLICT DO NOTHING;
        IF FOUND THEN
            PERFORM engine.create_node_schema(p_user, candidate);
            INSERT INTO engine.outbox (commit_id, user_id, kind, payload)
            VALUES (p_user, p_user, 'node', jsonb_set(p_payload, '{node}', (p_payload -> 'node')
                    || jsonb_build_object('layer', 0, 'schema_name', candidate)));
            RETURN QUERY SELECT p_user, p_user, candidate, p_name, 'pending', true;
            RETURN;
        END IF;
    END LOOP;
    RAISE EXCEPTION 'No schema name is free.' USING ERRCODE = 'NG409';
END $$;
REVOKE ALL ON FUNCTION engine.provision_user FROM PUBLIC;

-- Makes a commit visible: node or records live, outbox row done. Repeating it changes nothing.
-- The request role may call it for commits of its own principal's user.
CREATE FUNCTION engine.finish_commit(p_commit uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    work engine.outbox;
    part record;
BEGIN
    SELECT * INTO work FROM engine.outbox AS o WHERE o.commit_id = p_commit FOR UPDATE;
    IF work.commit_id IS NULL OR (session_user = 'neurigraph_request' AND work.user_id IS DISTINCT FROM engine.principal_user()) THEN
        RETURN false;
    END IF;
    IF work.state = 'done' THEN
        RETURN true;
    END IF;
    IF work.kind = 'node' THEN
        UPDATE engine.nodes AS n SET state = 'live' WHERE n.node_id = p_commit;
    ELSE
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
REVOKE ALL ON FUNCTION engine.finish_commit FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.finish_commit TO neurigraph_request;

-- Which of these files no manifest of the user knows: candidates for the orphan sweep. Service only.
CREATE FUNCTION engine.unknown_files(p_root text, p_files uuid[]) RETURNS uuid[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
DECLARE
    part record;
    rest uuid[] := p_files;
    known uuid[];
BEGIN
    FOR part IN SELECT n.schema_name FROM engine.nodes AS n
                WHERE n.user_id = (SELECT r.user_id FROM engine.nodes AS r WHERE r.schema_name = p_root AND r.layer = 0)
    LOOP
        EXIT WHEN cardinality(rest) = 0;
        EXECUTE format('SELECT array_agg(f.file_id) FROM %I.file_manifest AS f WHERE f.file_id = ANY ($1)', part.schema_name)
        INTO known USING rest;
        rest := ARRAY(SELECT unnest(rest) EXCEPT SELECT unnest(known));
    END LOOP;
    RETURN rest;
END $$;
REVOKE ALL ON FUNCTION engine.unknown_files FROM PUBLIC;

-- One page of nodes as the registry and their schemas show them, for the comparison of the stores. Service only.
-- `shape_ok`: the schema's columns are those of the template.
CREATE FUNCTION engine.node_facts(p_after uuid, p_limit integer)
RETURNS TABLE (node_id uuid, user_id uuid, schema_name text, state text, schema_there boolean, shape_ok boolean,
               records bigint, items bigint, pointers text[])
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
#variable_conflict use_column
DECLARE
    part record;
BEGIN
    FOR part IN SELECT n.* FROM engine.nodes AS n WHERE n.node_id > p_after ORDER BY n.node_id LIMIT p_limit LOOP
        node_id := part.node_id; user_id := part.user_id; schema_name := part.schema_name; state := part.state;
        schema_there := to_regnamespace(quote_ident(part.schema_name)) IS NOT NULL;
        shape_ok := schema_there AND NOT EXISTS (
            SELECT c.table_name, c.column_name FROM information_schema.columns AS c WHERE c.table_schema = 'template'
            EXCEPT SELECT c.table_name, c.column_name FROM information_schema.columns AS c WHERE c.table_schema = part.schema_name);
        records := NULL; items := NULL; pointers := NULL;
        IF shape_ok THEN
            EXECUTE format('SELECT (SELECT count(*) FROM %1$I.metadata_records WHERE state = ''live''),'
                           ' (SELECT count(*) FROM %1$I.memory_items AS i JOIN %1$I.metadata_records AS r USING (record_id) WHERE r.state = ''live''),'
                           ' ARRAY(SELECT f.storage_path FROM %1$I.file_manifest AS f JOIN %1$I.metadata_records AS r USING (record_id)'
                           ' WHERE r.state = ''live'')', part.schema_name) INTO records, items, pointers;
        END IF;
        RETURN NEXT;
    END LOOP;
END $$;
REVOKE ALL ON FUNCTION engine.node_facts FROM PUBLIC;
