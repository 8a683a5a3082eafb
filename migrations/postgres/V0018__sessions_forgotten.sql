-- Sessions of ingests are kept for a time only. What became of their sources goes with them and never before; a session that
-- the failure log names stays.

ALTER TABLE engine.ingest_sources
    DROP CONSTRAINT ingest_sources_session_id_fkey,
    ADD CONSTRAINT ingest_sources_session_id_fkey FOREIGN KEY (session_id) REFERENCES engine.ingest_sessions ON DELETE CASCADE;

DROP TRIGGER append_only ON engine.ingest_sources;
-- Uses functions: ingest/refuse_change_of_session
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON engine.ingest_sources
    FOR EACH ROW EXECUTE FUNCTION engine.refuse_change_of_session();

CREATE INDEX ingest_sessions_ended ON engine.ingest_sessions (ended_at) WHERE state <> 'running';
CREATE INDEX failure_of_session ON engine.failure_log (session_id) WHERE session_id IS NOT NULL;
