-- Assignments: for every record, why it lies at its node, how sure that was, and who decided; and records moved by hand.
--
-- Decisions are written with the record and never changed. The newest one of a record tells where it lies; what a record was moved
-- from stays readable. They are the user's alone: reasons quote content. A persona that stores where it may write leaves its
-- decision there, too, and does not read it.

CREATE TABLE engine.assignments (
    entry_id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id      uuid NOT NULL REFERENCES engine.users,
    record_id    uuid NOT NULL,
    node_id      uuid NOT NULL REFERENCES engine.nodes,
    title        text NOT NULL DEFAULT '',
    confidence   real NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    decided_by   text NOT NULL CHECK (decided_by IN ('engine', 'model', 'hand')),
    created_node boolean NOT NULL DEFAULT false,
    moved_from   uuid REFERENCES engine.nodes,
    reasons      jsonb NOT NULL DEFAULT '{}',
    author       text NOT NULL,
    decided_at   timestamptz NOT NULL,
    CHECK (moved_from IS NULL OR (decided_by = 'hand' AND moved_from <> node_id))
);
CREATE INDEX assignments_of_user ON engine.assignments (user_id, entry_id);
CREATE INDEX assignments_of_record ON engine.assignments (record_id, entry_id);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON engine.assignments FOR EACH ROW EXECUTE FUNCTION engine.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON engine.assignments FOR EACH STATEMENT EXECUTE FUNCTION engine.refuse_change();
ALTER TABLE engine.assignments ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.assignments FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.assignments TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.assignments FOR SELECT TO neurigraph_request USING (user_id = (SELECT engine.principal_user()));
CREATE POLICY decided ON engine.assignments FOR INSERT TO neurigraph_request
    WITH CHECK (user_id = (SELECT engine.principal_graph()) AND moved_from IS NULL AND engine.can('write', node_id));
GRANT SELECT, INSERT ON engine.assignments TO neurigraph_request;

-- Moving a record ----------------------------------------------------------------------------------------------------

-- A document that spans several concepts is several records, one at each of their nodes: each is a document of its own with the same
-- source, file and number of versions, and holds the passages of its concept.
ALTER TABLE engine.documents DROP CONSTRAINT documents_user_id_source_id_key;
ALTER TABLE engine.documents ADD UNIQUE (user_id, source_id, node_id);
