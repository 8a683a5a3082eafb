-- Writers lock the active version until they commit; a promotion waits for them. NG411: the version is no longer active, and
-- nothing is written with its vectors.
CREATE OR REPLACE FUNCTION engine.require_embeddings(p_version text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtext('neurigraph embedding versions'));
    IF NOT EXISTS (SELECT FROM engine.embedding_versions AS v WHERE v.name = p_version AND v.status = 'active') THEN
        RAISE EXCEPTION 'The embedding version % is not active.', p_version USING ERRCODE = 'NG411';
    END IF;
END $$;
GRANT EXECUTE ON FUNCTION engine.require_embeddings TO neurigraph_request;
