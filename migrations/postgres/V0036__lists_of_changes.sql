-- The row of a commit holds a list of changes of the graph; who may enter which is said by functions alone: engine.change_writers.
-- Uses functions: commit/graph_changes, access/change_writers, access/may_commit, access/may_accept

ALTER TABLE engine.outbox DROP CONSTRAINT outbox_kind_check;

DROP POLICY commits ON engine.outbox;
CREATE POLICY commits ON engine.outbox FOR INSERT TO neurigraph_request WITH CHECK (engine.may_accept(user_id, kind, payload));

DROP TRIGGER refuse_archived ON engine.outbox;
CREATE TRIGGER refuse_archived BEFORE INSERT ON engine.outbox FOR EACH ROW EXECUTE FUNCTION engine.refuse_archived();
