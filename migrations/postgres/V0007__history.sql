-- Living records: what a node holds changes by deltas, and every past state can be read back on two clocks.
--
--   delta      one change of a record, an item, a node or a relation: fields with before and after, author, the time from
--              which it holds (w_coordinate), the time at which it was written (created_at). Deltas of one subject are
--              numbered without gaps (revision), which is the primary key: a chain cannot fork, a writer who read an
--              older state fails.
--   slice      one row of a record or an item: a state, with the times between which it held (valid_*) and was known
--              (known_*). One row keeps the subject's own id and holds its last slice; the others have ids of their own
--              and name it in version_of. Exactly one slice covers a point on both clocks, or none.
--
-- Deltas are never changed or deleted, by no role that the service uses. `payload` is apart from the chain's other
-- columns, so that content can be taken out one day without breaking the chain.

-- Nodes are brought to the newest template one by one, in batches, while older ones go on serving ---------------------

CREATE INDEX nodes_outdated ON engine.nodes (template_version, node_id);

ALTER TABLE template.metadata_records
    ADD COLUMN revision integer NOT NULL DEFAULT 1 CHECK (revision > 0),
    ADD COLUMN version_of uuid CHECK (version_of <> record_id);
ALTER TABLE template.memory_items
    ADD COLUMN revision integer NOT NULL DEFAULT 1 CHECK (revision > 0),
    ADD COLUMN version_of uuid CHECK (version_of <> item_id);
ALTER TABLE template.delta_log
    ADD COLUMN revision integer NOT NULL DEFAULT 1 CHECK (revision > 0),
    ADD CONSTRAINT delta_log_first CHECK (revision > 1 OR previous_delta_id IS NULL),
    DROP CONSTRAINT delta_log_pkey, ADD PRIMARY KEY (subject_id, revision),
    DROP CONSTRAINT delta_log_subject_kind_check,
    ADD CONSTRAINT delta_log_subject_kind_check CHECK (subject_kind IN ('record', 'item', 'node', 'file', 'relation'));

-- Nodes change too --------------------------------------------------------------------------------------------------

ALTER TABLE engine.nodes ADD COLUMN revision integer NOT NULL DEFAULT 1 CHECK (revision > 0);

-- Names and places that a node had: what the registry no longer says, or did not know at that time. Its user's alone.
CREATE TABLE engine.node_slices (
    slice_id   uuid PRIMARY KEY,
    node_id    uuid NOT NULL REFERENCES engine.nodes,
    user_id    uuid NOT NULL REFERENCES engine.users,
    name       text NOT NULL,
    parent_id  uuid,
    valid_from timestamptz NOT NULL,
    valid_to   timestamptz,
    known_from timestamptz NOT NULL,
    known_to   timestamptz,
    CHECK (valid_to IS NULL OR valid_to > valid_from),
    CHECK (known_to IS NULL OR known_to > known_from)
);
CREATE INDEX node_slices_of_node ON engine.node_slices (node_id);
ALTER TABLE engine.node_slices ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.node_slices FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.node_slices TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.node_slices FOR SELECT TO neurigraph_request USING (user_id = (SELECT engine.principal_user()));
GRANT SELECT ON engine.node_slices TO neurigraph_request;

DROP TRIGGER lineage ON engine.nodes;
CREATE TRIGGER lineage BEFORE INSERT ON engine.nodes FOR EACH ROW EXECUTE FUNCTION engine.set_lineage();

-- Deltas --------------------------------------------------------------------------------------------------------------

-- Commits of changes: what the graph has to learn of them.
ALTER TABLE engine.outbox DROP CONSTRAINT outbox_kind_check,
    ADD CONSTRAINT outbox_kind_check
    CHECK (kind IN ('node', 'records', 'granted', 'revoked', 'node_revised', 'record_revised', 'relation'));

DROP POLICY commits ON engine.outbox;
CREATE POLICY commits ON engine.outbox FOR INSERT TO neurigraph_request
    WITH CHECK ((kind = 'records' AND jsonb_typeof(payload -> 'records') = 'array'
                 OR kind IN ('record_revised', 'relation') AND jsonb_typeof(payload -> 'revision') = 'object')
                AND engine.may_commit(user_id, kind, payload));

-- Search on both clocks -----------------------------------------------------------------------------------------------

-- What a reader is shown of chosen items (`row_id`: of the slice that was found): the item, its record at the moment, its file.
DROP FUNCTION IF EXISTS engine.search_contents(text, uuid[]);
