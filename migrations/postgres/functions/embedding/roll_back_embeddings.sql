-- Rolls back: the archived version that still has its slot becomes active, the active one a canary. Returns its name.
CREATE OR REPLACE FUNCTION engine.roll_back_embeddings() RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '10s' AS $$
DECLARE
    previous text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('neurigraph embedding versions'));
    SELECT v.name INTO previous FROM engine.embedding_versions AS v WHERE v.status = 'archived' AND v.slot IS NOT NULL;
    IF previous IS NULL THEN
        RAISE EXCEPTION 'There is no earlier version to roll back to.' USING ERRCODE = 'NG409';
    END IF;
    UPDATE engine.embedding_versions SET status = 'canary' WHERE status = 'active';
    UPDATE engine.embedding_versions SET status = 'active', promoted_at = now(), archived_at = NULL WHERE name = previous;
    PERFORM engine.note_needing('embeddings', ARRAY(SELECT n.node_id FROM engine.nodes AS n));
    RETURN previous;
END $$;
