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

-- Uses functions: template/set_lineage
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

-- Uses functions: template/refuse_change
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON engine.access_log FOR EACH ROW EXECUTE FUNCTION engine.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON engine.access_log FOR EACH STATEMENT EXECUTE FUNCTION engine.refuse_change();

-- Uses functions: grant/end_grant_once
CREATE TRIGGER only_revoked BEFORE UPDATE OR DELETE ON engine.grants FOR EACH ROW EXECUTE FUNCTION engine.end_grant_once();
CREATE TRIGGER only_revoked_whole BEFORE TRUNCATE ON engine.grants FOR EACH STATEMENT EXECUTE FUNCTION engine.refuse_change();

-- The registry. The first test is the whole cost for a user; the function is asked row by row only for others.
DROP POLICY readable ON engine.nodes;
-- Uses functions: access/can
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

ALTER TABLE engine.outbox DROP CONSTRAINT outbox_kind_check,
    ADD CONSTRAINT outbox_kind_check CHECK (kind IN ('node', 'records', 'granted', 'revoked'));
DROP POLICY own ON engine.outbox;
CREATE POLICY own ON engine.outbox FOR SELECT TO neurigraph_request USING (user_id = (SELECT engine.principal_user()));
-- Uses functions: access/principal_graph, access/may_commit
CREATE POLICY commits ON engine.outbox FOR INSERT TO neurigraph_request
    WITH CHECK (kind = 'records' AND jsonb_typeof(payload -> 'records') = 'array' AND engine.may_commit(user_id, kind, payload));

DROP POLICY own ON engine.sources;
-- Uses functions: access/own_keys
CREATE POLICY own ON engine.sources TO neurigraph_request
    USING (user_id = (SELECT engine.principal_graph()) AND starts_with(source_id, (SELECT engine.own_keys())))
    WITH CHECK (user_id = (SELECT engine.principal_graph()) AND starts_with(source_id, (SELECT engine.own_keys())));
DROP POLICY own ON engine.idempotency;
CREATE POLICY own ON engine.idempotency TO neurigraph_request
    USING (user_id = (SELECT engine.principal_graph()) AND starts_with(key, (SELECT engine.own_keys())))
    WITH CHECK (user_id = (SELECT engine.principal_graph()) AND starts_with(key, (SELECT engine.own_keys())));

-- What is private is counted apart, so that a reader's statistics tell nothing of it.
ALTER TABLE template.term_counts DROP CONSTRAINT term_counts_unit_check,
    ADD CONSTRAINT term_counts_unit_check
    CHECK (unit IN ('turn', 'passage', 'record', 'private turn', 'private passage', 'private record'));

DO $$
DECLARE
    n record;
    place text;
BEGIN
    FOR n IN SELECT * FROM engine.nodes LOOP
        FOREACH place IN ARRAY ARRAY['metadata_records', 'memory_items', 'file_manifest', 'delta_log', 'term_counts'] LOOP
            EXECUTE format('DROP POLICY IF EXISTS principal ON %I.%I', n.schema_name, place);  -- closed to requests until it is upgraded
        END LOOP;
        EXECUTE format('ALTER TABLE %I.term_counts DROP CONSTRAINT IF EXISTS term_counts_unit_check, ADD CONSTRAINT term_counts_unit_check'
                       ' CHECK (unit IN (''turn'', ''passage'', ''record'', ''private turn'', ''private passage'', ''private record''))',
                       n.schema_name);
    END LOOP;
    UPDATE engine.nodes SET template_version = 2;
END $$;

-- The nodes of one graph to search: those asked for, or all; readable, live, and there at the moment (never NULL).
DROP FUNCTION IF EXISTS engine.search_nodes(uuid[], timestamptz, timestamptz, integer);
