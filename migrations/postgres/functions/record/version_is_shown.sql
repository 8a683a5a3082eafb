-- Whether a version of a document is visible to the persona that stored it: its present node must be readable, and no later
-- version may have replaced it before the right to read began or before the last move.
CREATE OR REPLACE FUNCTION engine.version_is_shown(p_document uuid, p_version integer) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    node uuid := (SELECT d.node_id FROM engine.documents AS d WHERE d.document_id = p_document);
    since timestamptz := greatest(engine.reads_from(node, 'records'), (
        SELECT max(a.decided_at) FROM engine.assignments AS a WHERE a.record_id = p_document AND a.moved_from IS NOT NULL));
BEGIN
    RETURN engine.can('read', node, 'records') AND NOT EXISTS (
        SELECT FROM engine.document_versions AS v WHERE v.document_id = p_document AND v.version > p_version AND v.known_at <= since);
END $$;
GRANT EXECUTE ON FUNCTION engine.version_is_shown TO neurigraph_request;
