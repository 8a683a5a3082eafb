-- What is still to be derived from what is stored: one table in place of four.
CREATE TABLE engine.due (
    derivation text NOT NULL CHECK (derivation IN ('vectors', 'tokens', 'stems', 'names', 'chains', 'reading')),
    node_id    uuid NOT NULL,
    record_id  uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    reason     text NOT NULL DEFAULT '' CHECK (char_length(reason) <= 600),
    since      timestamptz NOT NULL DEFAULT clock_timestamp(),
    after      uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    attempts   integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    next_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (derivation, node_id, record_id)
);
CREATE UNIQUE INDEX due_record ON engine.due (derivation, record_id) WHERE record_id <> '00000000-0000-0000-0000-000000000000';
CREATE INDEX due_next ON engine.due (derivation, next_at);
ALTER TABLE engine.due ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.due FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.due TO CURRENT_USER USING (true) WITH CHECK (true);
COMMENT ON TABLE engine.due IS 'What is still to be derived: for a node, or for one record, until a job has made it.';
COMMENT ON COLUMN engine.due.derivation IS 'what is to be made: vectors, tokens, stems, names of entities in items, chains of facts, a reading by a model';
COMMENT ON COLUMN engine.due.node_id IS 'the node';
COMMENT ON COLUMN engine.due.record_id IS 'the record; zeros: all of the node';
COMMENT ON COLUMN engine.due.reason IS 'why it is not made yet';
COMMENT ON COLUMN engine.due.since IS 'since when';
COMMENT ON COLUMN engine.due.after IS 'the last item that was looked at';
COMMENT ON COLUMN engine.due.attempts IS 'how often it failed';
COMMENT ON COLUMN engine.due.next_at IS 'when it is tried again';

INSERT INTO engine.due (derivation, node_id, since) SELECT 'vectors', p.node_id, p.noted_at FROM engine.pending_vectors AS p;
INSERT INTO engine.due (derivation, node_id, since) SELECT 'chains', u.node_id, u.noted_at FROM engine.unchained_facts AS u;
INSERT INTO engine.due (derivation, node_id, after)
SELECT CASE o.lacking WHEN 'entities' THEN 'names' ELSE o.lacking END, o.node_id, o.after FROM engine.older_items AS o;
INSERT INTO engine.due (derivation, node_id, record_id, reason, since, attempts, next_at)
SELECT 'reading', u.node_id, u.record_id, u.reason, u.noted_at, u.attempts, u.next_attempt FROM engine.unread_records AS u;

DROP FUNCTION IF EXISTS engine.note_pending_vectors(uuid[]);
DROP FUNCTION IF EXISTS engine.note_older_items(uuid, text);
DROP FUNCTION IF EXISTS engine.note_facts(uuid[]);
DROP FUNCTION IF EXISTS engine.note_unread(uuid[], uuid[], text[], timestamptz);
DROP FUNCTION IF EXISTS engine.settle_pending_vectors(uuid);
DROP TABLE engine.pending_vectors, engine.unchained_facts, engine.older_items, engine.unread_records;
