-- Which installation these stores belong to, of what age they are, and whether writing is stopped.
--
-- All three stores carry the same mark: the installation's id, a generation and the id of that generation. The generation
-- advances while there are writes: Postgres says first which one comes next, then the graph and the object store get it, then
-- Postgres says that it is finished. A store whose generation is lower than the others' was restored from an older backup.

CREATE TABLE engine.installation (
    only_one        boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    installation_id uuid NOT NULL,
    generation      bigint NOT NULL CHECK (generation >= 0),        -- written to all stores; 0 before the first was
    mark_id         uuid NOT NULL,
    next_generation bigint NOT NULL CHECK (next_generation >= generation),  -- written to some stores, where it differs
    next_mark_id    uuid NOT NULL,
    marked_at       timestamptz NOT NULL DEFAULT now(),
    stopped_because text,
    stopped_at      timestamptz,
    CHECK ((stopped_because IS NULL) = (stopped_at IS NULL))
);
ALTER TABLE engine.installation ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.installation FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.installation TO CURRENT_USER USING (true) WITH CHECK (true);

-- Uses functions: doctor/refuse_while_stopped
CREATE TRIGGER refused_while_stopped BEFORE INSERT ON engine.outbox
    FOR EACH STATEMENT EXECUTE FUNCTION engine.refuse_while_stopped();
CREATE TRIGGER refused_while_stopped BEFORE INSERT ON engine.ingest_sessions
    FOR EACH STATEMENT EXECUTE FUNCTION engine.refuse_while_stopped();
CREATE TRIGGER refused_while_stopped BEFORE INSERT ON engine.conversation_turns
    FOR EACH STATEMENT EXECUTE FUNCTION engine.refuse_while_stopped();
CREATE TRIGGER refused_while_stopped BEFORE INSERT ON engine.event_log
    FOR EACH STATEMENT EXECUTE FUNCTION engine.refuse_while_stopped();
