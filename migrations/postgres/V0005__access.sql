-- Who may see what: personas and integrations beside the users, grants, and a log of all of it.
--
-- Rules, held by engine.can() for every row of every table of a node:
--   a user reads and writes the whole own graph, nothing of another's;
--   a persona reads its own node and all below it; it reads, or writes, other nodes by grant only;
--   a third party (an integration) reads the nodes that were granted to it, and nothing else;
--   what is private is its owner's alone, whatever was granted;
--   a grant names one node; it reaches below it only as deep as its owner said (depth, default 0).
-- A grant is never changed but for its end (revoked_at, once), so who could see what at any time stays known.

ALTER TABLE engine.nodes ADD COLUMN lineage uuid[];  -- from the root down to the node itself
CREATE FUNCTION engine.set_lineage() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
    NEW.lineage := coalesce((SELECT p.lineage FROM engine.nodes AS p WHERE p.node_id = NEW.parent_id), '{}') || NEW.node_id;
    RETURN NEW;
END $$;
CREATE TRIGGER lineage BEFORE INSERT OR UPDATE OF parent_id ON engine.nodes FOR EACH ROW EXECUTE FUNCTION engine.set_lineage();
DO $$
BEGIN
    FOR depth IN 0 .. 5 LOOP
        UPDATE engine.nodes SET parent_id = parent_id WHERE layer = depth;
    END LOOP;
END $$;
ALTER TABLE engine.nodes ALTER COLUMN lineage SET NOT NULL,
    ADD CHECK (cardinality(lineage) = layer + 1 AND lineage[layer + 1] = node_id);

-- Applications that may be granted a node. They belong to a workspace and read in its users' graphs only.
CREATE TABLE engine.integrations (
    integration_id uuid PRIMARY KEY,
    workspace_id   uuid NOT NULL REFERENCES engine.workspaces,
    name           text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
    created_at     timestamptz NOT NULL DEFAULT now(),
    UNIQUE (workspace_id, name)
);

CREATE TABLE engine.grants (
    grant_id     uuid PRIMARY KEY,
    user_id      uuid NOT NULL REFERENCES engine.users,  -- the grantor: always the owner of the node
    node_id      uuid NOT NULL REFERENCES engine.nodes,
    subject_kind text NOT NULL CHECK (subject_kind IN ('persona', 'third_party')),
    subject_id   uuid NOT NULL,
    mode         text NOT NULL CHECK (mode IN ('read', 'read_write')),
    depth        smallint NOT NULL DEFAULT 0 CHECK (depth BETWEEN 0 AND 5),
    fields       text[] NOT NULL DEFAULT '{records,items,files}'
                     CHECK (fields <@ '{records,items,files}' AND (fields = '{}' OR 'records' = ANY (fields))),
    purpose      text NOT NULL DEFAULT '' CHECK (char_length(purpose) <= 500),
    granted_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at   timestamptz,
    revoked_at   timestamptz,
    CHECK (subject_kind = 'persona' OR mode = 'read'),
    CHECK (mode = 'read' OR fields @> '{records,items,files}'),
    CHECK (expires_at IS NULL OR expires_at > granted_at),
    CHECK (revoked_at IS NULL OR revoked_at >= granted_at)
);
CREATE INDEX grants_active ON engine.grants (subject_id, node_id) WHERE revoked_at IS NULL;
CREATE INDEX grants_of_node ON engine.grants (node_id, granted_at);
CREATE INDEX grants_of_user ON engine.grants (user_id, granted_at);

-- What happened to rights, and every request that was refused. Nobody changes or deletes a line.
CREATE TABLE engine.access_log (
    entry_id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    occurred_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    event        text NOT NULL CHECK (event IN ('granted', 'revoked', 'refused', 'token_created', 'token_revoked')),
    user_id      uuid,   -- whose graph it is about; NULL where there is none
    node_id      uuid,   -- as it was asked for; may name nothing
    actor_kind   text NOT NULL,
    actor_id     uuid,
    subject_kind text,
    subject_id   uuid,
    grant_id     uuid,
    detail       text NOT NULL DEFAULT '' CHECK (char_length(detail) <= 500)
);
CREATE INDEX access_log_of_user ON engine.access_log (user_id, entry_id);

CREATE FUNCTION engine.refuse_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
    RAISE EXCEPTION 'This table only grows.' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON engine.access_log FOR EACH ROW EXECUTE FUNCTION engine.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON engine.access_log FOR EACH STATEMENT EXECUTE FUNCTION engine.refuse_change();

CREATE FUNCTION engine.end_grant_once() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
    IF TG_OP <> 'UPDATE' OR OLD.revoked_at IS NOT NULL OR NEW.revoked_at IS NULL
       OR to_jsonb(OLD) - 'revoked_at' <> to_jsonb(NEW) - 'revoked_at' THEN
        RAISE EXCEPTION 'A grant can only be revoked, once.' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER only_revoked BEFORE UPDATE OR DELETE ON engine.grants FOR EACH ROW EXECUTE FUNCTION engine.end_grant_once();
CREATE TRIGGER only_revoked_whole BEFORE TRUNCATE ON engine.grants FOR EACH STATEMENT EXECUTE FUNCTION engine.refuse_change();

-- Whose graph the principal belongs to: a user's own, a persona's owner's; none for an integration.
CREATE FUNCTION engine.principal_graph() RETURNS uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog
RETURN CASE engine.principal_kind()
    WHEN 'user' THEN engine.principal_id()
    WHEN 'persona' THEN (SELECT n.user_id FROM engine.nodes AS n WHERE n.node_id = engine.principal_id() AND n.node_type = 'persona')
END;

-- Is there a grant in force that covers the node for this principal? `p_field` NULL asks for the node as such.
CREATE FUNCTION engine.granted(p_mode text, p_lineage uuid[], p_field text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog
RETURN EXISTS (
    SELECT FROM engine.grants AS g
    WHERE g.subject_id = engine.principal_id() AND g.node_id = ANY (p_lineage) AND g.revoked_at IS NULL
      AND g.subject_kind = engine.principal_kind()
      AND (g.expires_at IS NULL OR g.expires_at > statement_timestamp())
      AND cardinality(p_lineage) - array_position(p_lineage, g.node_id) <= g.depth
      AND (p_mode = 'read' OR g.mode = 'read_write')
      AND (p_field IS NULL OR p_field = ANY (g.fields)));

-- May the principal of this transaction do this with that node, or with that kind of its content? The one place where
-- the rules live for Postgres: every policy asks here, once a scan. Missing and forbidden both say no.
CREATE FUNCTION engine.can(p_mode text, p_node uuid, p_field text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog
RETURN p_mode IN ('read', 'write') AND EXISTS (
    SELECT FROM engine.nodes AS n
    WHERE n.node_id = p_node AND CASE engine.principal_kind()
        WHEN 'user' THEN n.user_id = engine.principal_id()
        WHEN 'persona' THEN n.user_id = engine.principal_graph()
            AND (p_mode = 'read' AND engine.principal_id() = ANY (n.lineage) OR engine.granted(p_mode, n.lineage, p_field))
        WHEN 'third_party' THEN p_mode = 'read' AND engine.granted(p_mode, n.lineage, p_field)
        ELSE false END);
CREATE OR REPLACE FUNCTION engine.can(p_mode text, p_node uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog
RETURN engine.can(p_mode, p_node, NULL);

-- Is this node the principal's own, as its user? What is private asks here.
CREATE FUNCTION engine.owns(p_node uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog
RETURN engine.principal_kind() = 'user' AND EXISTS (
    SELECT FROM engine.nodes AS n WHERE n.node_id = p_node AND n.user_id = engine.principal_id());

-- The registry. The first test is the whole cost for a user; the function is asked row by row only for others.
DROP POLICY readable ON engine.nodes;
CREATE POLICY readable ON engine.nodes FOR SELECT TO neurigraph_request
    USING (user_id = (SELECT engine.principal_user())
           OR ((SELECT engine.principal_kind()) IN ('persona', 'third_party') AND engine.can('read', node_id)));

ALTER TABLE engine.integrations ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.integrations FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.integrations TO CURRENT_USER USING (true) WITH CHECK (true);

ALTER TABLE engine.grants ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.grants FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.grants TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.grants FOR SELECT TO neurigraph_request USING (user_id = (SELECT engine.principal_user()));
GRANT SELECT ON engine.grants TO neurigraph_request;

ALTER TABLE engine.access_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.access_log FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.access_log TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.access_log FOR SELECT TO neurigraph_request USING (user_id = (SELECT engine.principal_user()));
GRANT SELECT ON engine.access_log TO neurigraph_request;

-- A commit by a persona may write to nodes that it was granted, and to nothing else.
CREATE FUNCTION engine.may_commit(p_user uuid, p_kind text, p_payload jsonb) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog
RETURN CASE engine.principal_kind()
    WHEN 'user' THEN p_user = engine.principal_id()
    WHEN 'persona' THEN p_user = engine.principal_graph() AND p_kind = 'records' AND NOT EXISTS (
        SELECT FROM jsonb_array_elements(p_payload -> 'records') AS r
        WHERE r ->> 'user_id' <> p_user::text OR NOT engine.can('write', (r ->> 'node_id')::uuid))
    ELSE false END;

ALTER TABLE engine.outbox DROP CONSTRAINT outbox_kind_check,
    ADD CONSTRAINT outbox_kind_check CHECK (kind IN ('node', 'records', 'granted', 'revoked'));
DROP POLICY own ON engine.outbox;
CREATE POLICY own ON engine.outbox FOR SELECT TO neurigraph_request USING (user_id = (SELECT engine.principal_user()));
CREATE POLICY commits ON engine.outbox FOR INSERT TO neurigraph_request
    WITH CHECK (kind = 'records' AND jsonb_typeof(payload -> 'records') = 'array' AND engine.may_commit(user_id, kind, payload));

-- What a persona stores and repeats is kept apart from its owner's by the start of the key.
CREATE FUNCTION engine.own_keys() RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog
RETURN CASE engine.principal_kind() WHEN 'user' THEN '' WHEN 'persona' THEN 'persona:' || engine.principal_id() END;
DROP POLICY own ON engine.sources;
CREATE POLICY own ON engine.sources TO neurigraph_request
    USING (user_id = (SELECT engine.principal_graph()) AND starts_with(source_id, (SELECT engine.own_keys())))
    WITH CHECK (user_id = (SELECT engine.principal_graph()) AND starts_with(source_id, (SELECT engine.own_keys())));
DROP POLICY own ON engine.idempotency;
CREATE POLICY own ON engine.idempotency TO neurigraph_request
    USING (user_id = (SELECT engine.principal_graph()) AND starts_with(key, (SELECT engine.own_keys())))
    WITH CHECK (user_id = (SELECT engine.principal_graph()) AND starts_with(key, (SELECT engine.own_keys())));

CREATE OR REPLACE FUNCTION engine.advance_source(p_source text, p_seen integer, p_units integer, p_hash bytea, p_commit uuid)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
    IF p_seen = 0 THEN
        INSERT INTO engine.sources (user_id, source_id, units, content_hash, commit_id)
        VALUES (engine.principal_graph(), p_source, p_units, p_hash, p_commit) ON CONFLICT DO NOTHING;
    ELSE
        UPDATE engine.sources SET units = p_units, content_hash = p_hash, commit_id = p_commit, updated_at = now()
        WHERE user_id = engine.principal_graph() AND source_id = p_source AND units = p_seen;
    END IF;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'The source was stored by another request at the same time.' USING ERRCODE = 'NG409';
    END IF;
END $$;

-- Whether a stored source's commit is still on its way; a persona sees no outbox.
CREATE FUNCTION engine.commit_is_pending(p_commit uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog
RETURN coalesce((SELECT o.state = 'pending' FROM engine.outbox AS o WHERE o.commit_id = p_commit), false);
REVOKE ALL ON FUNCTION engine.commit_is_pending FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.commit_is_pending TO neurigraph_request;

-- What is private is counted apart, so that a reader's statistics tell nothing of it.
ALTER TABLE template.term_counts DROP CONSTRAINT term_counts_unit_check,
    ADD CONSTRAINT term_counts_unit_check
    CHECK (unit IN ('turn', 'passage', 'record', 'private turn', 'private passage', 'private record'));

-- The rights of the request role in one node's schema. Repeating it changes nothing.
CREATE FUNCTION engine.apply_node_policies(p_node uuid, p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
    t record;
    unless_private text := format('(privacy <> ''private'' OR (SELECT engine.owns(%L::uuid)))', p_node);
    unless_private_file text := format('((SELECT engine.owns(%L::uuid)) OR EXISTS (SELECT FROM %I.metadata_records AS r'
                                       ' WHERE r.record_id = file_manifest.record_id))', p_node, p_schema);
    unless_private_unit text := format('(unit NOT LIKE ''private%%'' OR (SELECT engine.owns(%L::uuid)))', p_node);
BEGIN
    FOR t IN
        SELECT * FROM (VALUES
            ('metadata_records', 'records', unless_private, unless_private),
            ('memory_items', 'items', unless_private, unless_private),
            ('file_manifest', 'files', unless_private_file, unless_private_file),
            ('term_counts', 'items', unless_private_unit, unless_private_unit),
            ('delta_log', NULL, format('(SELECT engine.owns(%L::uuid))', p_node), 'true')) AS v (name, field, readable, writable)
    LOOP
        EXECUTE format('DROP POLICY IF EXISTS principal ON %I.%I', p_schema, t.name);
        EXECUTE format('DROP POLICY IF EXISTS readable ON %I.%I', p_schema, t.name);
        EXECUTE format('DROP POLICY IF EXISTS writable ON %I.%I', p_schema, t.name);
        EXECUTE format('DROP POLICY IF EXISTS changeable ON %I.%I', p_schema, t.name);
        EXECUTE format('CREATE POLICY readable ON %I.%I FOR SELECT TO neurigraph_request'
                       ' USING ((SELECT engine.can(''read'', %L::uuid, %L)) AND %s)', p_schema, t.name, p_node, t.field, t.readable);
        EXECUTE format('CREATE POLICY writable ON %I.%I FOR INSERT TO neurigraph_request'
                       ' WITH CHECK ((SELECT engine.can(''write'', %L::uuid, %L)) AND %s)', p_schema, t.name, p_node, t.field, t.writable);
        CONTINUE WHEN t.name = 'delta_log';
        EXECUTE format('CREATE POLICY changeable ON %I.%I FOR UPDATE TO neurigraph_request'
                       ' USING ((SELECT engine.can(''write'', %L::uuid, %L)) AND %s)', p_schema, t.name, p_node, t.field, t.writable);
    END LOOP;
END $$;
REVOKE ALL ON FUNCTION engine.apply_node_policies FROM PUBLIC;

CREATE OR REPLACE FUNCTION engine.template_version() RETURNS integer LANGUAGE sql IMMUTABLE RETURN 2;

CREATE OR REPLACE FUNCTION engine.create_node_schema(p_node uuid, p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public AS $$
DECLARE
    t record;
    embedding record;
BEGIN
    SELECT * INTO embedding FROM engine.embedding_column();
    EXECUTE format('CREATE SCHEMA %I', p_schema);
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO neurigraph_request', p_schema);
    FOR t IN SELECT * FROM (VALUES ('metadata_records', 'SELECT, INSERT, UPDATE'), ('memory_items', 'SELECT, INSERT, UPDATE'),
                                   ('file_manifest', 'SELECT, INSERT, UPDATE'), ('delta_log', 'SELECT, INSERT'),
                                   ('term_counts', 'SELECT, INSERT, UPDATE')) AS v (name, rights)
    LOOP
        EXECUTE format('CREATE TABLE %1$I.%2$I (LIKE template.%2$I INCLUDING ALL)', p_schema, t.name);
        IF embedding.type_name = 'public.halfvec' AND t.name IN ('metadata_records', 'memory_items') THEN
            EXECUTE format('ALTER TABLE %I.%I ALTER COLUMN embedding TYPE public.halfvec, ALTER COLUMN embedding SET STORAGE %s',
                           p_schema, t.name, CASE t.name WHEN 'memory_items' THEN embedding.storage ELSE 'EXTERNAL' END);
        END IF;
        EXECUTE format('ALTER TABLE %I.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', p_schema, t.name);
        EXECUTE format('CREATE POLICY service ON %I.%I TO CURRENT_USER USING (true) WITH CHECK (true)', p_schema, t.name);
        EXECUTE format('GRANT %s ON %I.%I TO neurigraph_request', t.rights, p_schema, t.name);
    END LOOP;
    PERFORM engine.apply_node_policies(p_node, p_schema);
    EXECUTE format('ALTER TABLE %1$I.memory_items ADD FOREIGN KEY (record_id) REFERENCES %1$I.metadata_records', p_schema);
    EXECUTE format('ALTER TABLE %1$I.file_manifest ADD FOREIGN KEY (record_id) REFERENCES %1$I.metadata_records', p_schema);
END $$;

DO $$
DECLARE
    n record;
BEGIN
    FOR n IN SELECT * FROM engine.nodes LOOP
        PERFORM engine.apply_node_policies(n.node_id, n.schema_name);
        EXECUTE format('ALTER TABLE %I.term_counts DROP CONSTRAINT IF EXISTS term_counts_unit_check, ADD CONSTRAINT term_counts_unit_check'
                       ' CHECK (unit IN (''turn'', ''passage'', ''record'', ''private turn'', ''private passage'', ''private record''))',
                       n.schema_name);
    END LOOP;
    UPDATE engine.nodes SET template_version = 2;
END $$;

-- Only its user shapes a graph: a sibling's name is an answer too, and a persona may not see its siblings.
ALTER FUNCTION engine.provision_node(uuid, uuid, text, text, text, text[], jsonb) RENAME TO provision_own_node;
REVOKE ALL ON FUNCTION engine.provision_own_node FROM PUBLIC;
CREATE FUNCTION engine.provision_node(p_node uuid, p_parent uuid, p_name text, p_key text, p_type text, p_schemas text[], p_payload jsonb)
RETURNS TABLE (node_id uuid, schema_name text, layer integer, state text, node_type text, created boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    IF NOT engine.owns(p_parent) THEN
        RAISE EXCEPTION 'There is no such node.' USING ERRCODE = 'NG404';
    END IF;
    RETURN QUERY SELECT * FROM engine.provision_own_node(p_node, p_parent, p_name, p_key, p_type, p_schemas, p_payload);
END $$;

CREATE OR REPLACE FUNCTION engine.finish_commit(p_commit uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
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

-- A reader opens a file: its state and access time move, which a reader has no right to change by hand.
CREATE FUNCTION engine.file_opened(p_node uuid, p_file uuid, p_now timestamptz, p_until timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    node_schema text := (SELECT n.schema_name FROM engine.nodes AS n WHERE n.node_id = p_node);
BEGIN
    IF node_schema IS NOT NULL AND engine.can('read', p_node, 'files') THEN
        EXECUTE format('UPDATE %I.file_manifest SET compression_state = ''active'', recompress_after = $3,'
                       ' last_accessed_at = greatest(last_accessed_at, $2) WHERE file_id = $1', node_schema)
        USING p_file, p_now, p_until;
    END IF;
END $$;
REVOKE ALL ON FUNCTION engine.file_opened FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.file_opened TO neurigraph_request;

-- The nodes of one graph to search: those asked for, or all; readable, live, and there at the moment (never NULL).
DROP FUNCTION engine.search_nodes(uuid[], timestamptz, timestamptz, integer);
CREATE FUNCTION engine.search_nodes(p_user uuid, p_nodes uuid[], p_as_of timestamptz, p_known_at timestamptz, p_most integer)
RETURNS TABLE (node_id uuid, schema_name text)
LANGUAGE sql STABLE SET search_path = pg_catalog
BEGIN ATOMIC
    SELECT n.node_id, n.schema_name
    FROM engine.nodes AS n
    WHERE n.user_id = p_user AND (p_nodes IS NULL OR n.node_id = ANY (p_nodes)) AND n.state = 'live'
      AND n.valid_from <= p_as_of AND (n.valid_to IS NULL OR n.valid_to > p_as_of)
      AND n.known_from <= p_known_at AND (n.known_to IS NULL OR n.known_to > p_known_at)
    ORDER BY n.layer, n.created_at, n.node_id
    LIMIT p_most;
END;
REVOKE ALL ON FUNCTION engine.search_nodes FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.search_nodes TO neurigraph_request;

CREATE OR REPLACE FUNCTION engine.search_vectors(p_schemas text[], p_terms integer[])
RETURNS TABLE (items sparsevec, records sparsevec)
LANGUAGE sql STABLE SET search_path = pg_catalog, public AS $$
    WITH counted AS (
        SELECT unit IN ('record', 'private record') AS of_records, term, sum(documents)::float8 AS documents
        FROM engine.search_counts(p_schemas, p_terms || 0)
        GROUP BY 1, 2
    ), weighed AS (
        SELECT t.of_records, string_agg(t.term || ':' || ln(1 + greatest(0, n.documents - t.documents + 0.5) / (t.documents + 0.5)),
                                        ',' ORDER BY t.term) AS entries
        FROM counted AS t
        JOIN counted AS n ON n.of_records = t.of_records AND n.term = 0
        WHERE t.term > 0 AND t.documents > 0
        GROUP BY t.of_records
    )
    SELECT ('{' || coalesce(max(entries) FILTER (WHERE NOT of_records), '') || '}/1000000')::sparsevec,
           ('{' || coalesce(max(entries) FILTER (WHERE of_records), '') || '}/1000000')::sparsevec
    FROM weighed
$$;

-- Gives a subject a right on a node; the row and the graph's part are one commit. The same right twice is one grant.
-- Refuses, as if there were no such thing, for anyone but the node's user and for a subject that is not within reach.
CREATE FUNCTION engine.grant_node(p_grant uuid, p_node uuid, p_kind text, p_subject uuid, p_mode text, p_depth integer,
                                  p_fields text[], p_purpose text, p_expires_at timestamptz)
RETURNS TABLE (grant_id uuid, granted_at timestamptz, created boolean, payload jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
#variable_conflict use_column
DECLARE
    owner uuid := engine.principal_user();
    made engine.grants;
    message jsonb;
BEGIN
    IF NOT engine.owns(p_node)
       OR NOT EXISTS (SELECT FROM engine.nodes AS n WHERE n.node_id = p_node AND n.state = 'live' AND n.known_to IS NULL)
       OR NOT (CASE p_kind
            WHEN 'persona' THEN EXISTS (SELECT FROM engine.nodes AS n WHERE n.node_id = p_subject AND n.user_id = owner
                                        AND n.node_type = 'persona' AND n.state = 'live')
            WHEN 'third_party' THEN EXISTS (SELECT FROM engine.integrations AS i JOIN engine.users AS u USING (workspace_id)
                                            WHERE i.integration_id = p_subject AND u.user_id = owner)
            ELSE false END) THEN
        RAISE EXCEPTION 'There is no such node.' USING ERRCODE = 'NG404';
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended(p_node::text || p_subject::text, 0));
    SELECT * INTO made FROM engine.grants AS g
    WHERE g.node_id = p_node AND g.subject_kind = p_kind AND g.subject_id = p_subject AND g.mode = p_mode AND g.depth = p_depth
      AND g.fields = p_fields AND g.purpose = p_purpose AND g.expires_at IS NOT DISTINCT FROM p_expires_at
      AND g.revoked_at IS NULL AND (g.expires_at IS NULL OR g.expires_at > statement_timestamp());
    IF made.grant_id IS NOT NULL THEN
        RETURN QUERY SELECT made.grant_id, made.granted_at, false, (SELECT o.payload FROM engine.outbox AS o WHERE o.commit_id = made.grant_id);
        RETURN;
    END IF;
    INSERT INTO engine.grants (grant_id, user_id, node_id, subject_kind, subject_id, mode, depth, fields, purpose, expires_at)
    VALUES (p_grant, owner, p_node, p_kind, p_subject, p_mode, p_depth, p_fields, p_purpose, p_expires_at) RETURNING * INTO made;
    INSERT INTO engine.access_log (event, user_id, node_id, actor_kind, actor_id, subject_kind, subject_id, grant_id, detail)
    VALUES ('granted', owner, p_node, 'user', owner, p_kind, p_subject, p_grant,
            format('%s, depth %s, %s%s', p_mode, p_depth, array_to_string(p_fields, ' '), coalesce(', until ' || p_expires_at, '')));
    message := jsonb_build_object('grant', jsonb_build_object(
        'grant_id', p_grant, 'node_id', p_node, 'subject_id', p_subject, 'subject_kind', p_kind, 'mode', p_mode, 'depth', p_depth,
        'fields', p_fields, 'expires_at', to_char(p_expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        'granted_at', to_char(made.granted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')));
    INSERT INTO engine.outbox (commit_id, user_id, kind, payload) VALUES (p_grant, owner, 'granted', message);
    RETURN QUERY SELECT p_grant, made.granted_at, true, message;
END $$;
REVOKE ALL ON FUNCTION engine.grant_node FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.grant_node TO neurigraph_request;

-- Ends a grant now; the next statement of anybody sees it. Ending it again changes nothing.
CREATE FUNCTION engine.revoke_grant(p_commit uuid, p_grant uuid)
RETURNS TABLE (revoked_at timestamptz, changed boolean, commit_id uuid, payload jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
#variable_conflict use_column
DECLARE
    owner uuid := engine.principal_user();
    found engine.grants;
    message jsonb;
BEGIN
    SELECT * INTO found FROM engine.grants AS g WHERE g.grant_id = p_grant AND g.user_id = owner FOR UPDATE;
    IF found.grant_id IS NULL THEN
        RAISE EXCEPTION 'There is no such grant.' USING ERRCODE = 'NG404';
    END IF;
    message := jsonb_build_object('grant', jsonb_build_object(
        'grant_id', p_grant, 'node_id', found.node_id, 'subject_id', found.subject_id, 'subject_kind', found.subject_kind));
    IF found.revoked_at IS NOT NULL THEN
        RETURN QUERY SELECT found.revoked_at, false, o.commit_id, message FROM engine.outbox AS o
                     WHERE o.user_id = owner AND o.kind = 'revoked' AND o.payload -> 'grant' ->> 'grant_id' = p_grant::text;
        RETURN;
    END IF;
    UPDATE engine.grants AS g SET revoked_at = clock_timestamp() WHERE g.grant_id = p_grant RETURNING * INTO found;
    INSERT INTO engine.access_log (event, user_id, node_id, actor_kind, actor_id, subject_kind, subject_id, grant_id)
    VALUES ('revoked', owner, found.node_id, 'user', owner, found.subject_kind, found.subject_id, p_grant);
    INSERT INTO engine.outbox (commit_id, user_id, kind, payload) VALUES (p_commit, owner, 'revoked', message);
    RETURN QUERY SELECT found.revoked_at, true, p_commit, message;
END $$;
REVOKE ALL ON FUNCTION engine.revoke_grant FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.revoke_grant TO neurigraph_request;

-- A request asked for something that is not there for it: noted the same way whether it exists or not.
CREATE FUNCTION engine.note_refused(p_node uuid, p_operation text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$
    INSERT INTO engine.access_log (event, user_id, node_id, actor_kind, actor_id, detail)
    SELECT 'refused', (SELECT n.user_id FROM engine.nodes AS n WHERE n.node_id = p_node), p_node, engine.principal_kind(),
           engine.principal_id(), left(p_operation, 500)
$$;
REVOKE ALL ON FUNCTION engine.note_refused FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.note_refused TO neurigraph_request;

-- Who could see a node at a time: its user, the personas above it, and whom a grant in force then let in.
CREATE FUNCTION engine.audience(p_node uuid, p_at timestamptz)
RETURNS TABLE (subject_kind text, subject_id uuid, subject_name text, reason text, mode text, depth integer, fields text[], grant_id uuid)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
#variable_conflict use_column
DECLARE
    node engine.nodes;
BEGIN
    SELECT * INTO node FROM engine.nodes AS n WHERE n.node_id = p_node AND n.user_id = engine.principal_user();
    IF node.node_id IS NULL THEN
        RAISE EXCEPTION 'There is no such node.' USING ERRCODE = 'NG404';
    END IF;
    RETURN QUERY
        SELECT 'user', u.user_id, u.display_name, 'owner', 'read_write', 5, '{records,items,files}'::text[], NULL::uuid
        FROM engine.users AS u WHERE u.user_id = node.user_id AND node.created_at <= p_at
        UNION ALL
        SELECT 'persona', n.node_id, n.name, 'own subtree', 'read', 5, '{records,items,files}'::text[], NULL::uuid
        FROM engine.nodes AS n WHERE n.node_id = ANY (node.lineage) AND n.node_type = 'persona' AND node.created_at <= p_at
        UNION ALL
        SELECT g.subject_kind, g.subject_id, coalesce(i.name, n.name), 'grant', g.mode, g.depth::integer, g.fields, g.grant_id
        FROM engine.grants AS g
        LEFT JOIN engine.integrations AS i ON i.integration_id = g.subject_id
        LEFT JOIN engine.nodes AS n ON n.node_id = g.subject_id
        WHERE g.node_id = ANY (node.lineage) AND node.created_at <= p_at
          AND cardinality(node.lineage) - array_position(node.lineage, g.node_id) <= g.depth
          AND g.granted_at <= p_at AND (g.revoked_at IS NULL OR g.revoked_at > p_at) AND (g.expires_at IS NULL OR g.expires_at > p_at)
        ORDER BY 1 DESC, 3 LIMIT 10000;
END $$;
REVOKE ALL ON FUNCTION engine.audience FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.audience TO neurigraph_request;

-- What a subject of the principal's own grants is called.
CREATE FUNCTION engine.subject_name(p_subject uuid) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog
RETURN (SELECT coalesce((SELECT i.name FROM engine.integrations AS i WHERE i.integration_id = p_subject),
                        (SELECT n.name FROM engine.nodes AS n WHERE n.node_id = p_subject))
        WHERE EXISTS (SELECT FROM engine.grants AS g WHERE g.subject_id = p_subject AND g.user_id = engine.principal_user()));
REVOKE ALL ON FUNCTION engine.subject_name FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.subject_name TO neurigraph_request;
