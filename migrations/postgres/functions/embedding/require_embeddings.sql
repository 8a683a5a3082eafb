-- Writers hold the active version until they commit; a promotion waits for them. Nothing is written with the vectors of
-- a version that is not active any more: NG411.
CREATE OR REPLACE FUNCTION engine.require_embeddings(p_version text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtext('neurigraph embedding versions'));
    IF NOT EXISTS (SELECT FROM engine.embedding_versions AS v WHERE v.name = p_version AND v.status = 'active') THEN
        RAISE EXCEPTION 'The embeddings % are not active.', p_version USING ERRCODE = 'NG411';
    END IF;
END $$;
GRANT EXECUTE ON FUNCTION engine.require_embeddings TO neurigraph_request;
