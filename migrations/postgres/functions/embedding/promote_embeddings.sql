-- Promotes: the canary becomes active, the active one archived, in one step. NG409: it is no canary.
CREATE OR REPLACE FUNCTION engine.promote_embeddings(p_name text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '10s' AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('neurigraph embedding versions'));
    IF NOT EXISTS (SELECT FROM engine.embedding_versions AS v WHERE v.name = p_name AND v.status = 'canary') THEN
        RAISE EXCEPTION 'There is no such canary.' USING ERRCODE = 'NG409';
    END IF;
    UPDATE engine.embedding_versions SET status = 'archived', archived_at = now() WHERE status = 'active';
    UPDATE engine.embedding_versions SET status = 'active', promoted_at = now(), archived_at = NULL WHERE name = p_name;
    PERFORM engine.note_needing('embeddings', ARRAY(SELECT n.node_id FROM engine.nodes AS n));
END $$;
