-- Sessions of ingests are kept for a time only. What became of their sources goes with them and never before; a session that
-- the failure log names stays.

ALTER TABLE engine.ingest_sources
    DROP CONSTRAINT ingest_sources_session_id_fkey,
    ADD CONSTRAINT ingest_sources_session_id_fkey FOREIGN KEY (session_id) REFERENCES engine.ingest_sessions ON DELETE CASCADE;

CREATE FUNCTION engine.refuse_change_of_session() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
    IF TG_OP = 'UPDATE' OR EXISTS (SELECT FROM engine.ingest_sessions AS s WHERE s.session_id = OLD.session_id) THEN
        RAISE EXCEPTION 'This table only grows.' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN OLD;
END $$;
REVOKE ALL ON FUNCTION engine.refuse_change_of_session FROM PUBLIC;
DROP TRIGGER append_only ON engine.ingest_sources;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON engine.ingest_sources
    FOR EACH ROW EXECUTE FUNCTION engine.refuse_change_of_session();

CREATE INDEX ingest_sessions_ended ON engine.ingest_sessions (ended_at) WHERE state <> 'running';
CREATE INDEX failure_of_session ON engine.failure_log (session_id) WHERE session_id IS NOT NULL;
