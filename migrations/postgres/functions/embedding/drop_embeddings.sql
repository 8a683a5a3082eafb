-- Frees the slot of a version that is not active. NG404: not found; NG409: it is active.
CREATE OR REPLACE FUNCTION engine.drop_embeddings(p_name text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '10s' AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('neurigraph embedding versions'));
    IF EXISTS (SELECT FROM engine.embedding_versions AS v WHERE v.name = p_name AND v.status = 'active') THEN
        RAISE EXCEPTION 'The active version cannot be dropped.' USING ERRCODE = 'NG409';
    END IF;
    UPDATE engine.embedding_versions SET status = 'archived', slot = NULL, archived_at = coalesce(archived_at, now()), built_at = NULL
    WHERE name = p_name;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'There is no such version.' USING ERRCODE = 'NG404';
    END IF;
END $$;
