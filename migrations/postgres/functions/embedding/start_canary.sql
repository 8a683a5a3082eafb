-- Gives a canary the slot that the active version does not use; an archived version there loses it. Repeating it with
-- the same canary changes nothing. NG409: there is another canary, or the name is active or has another shape.
CREATE OR REPLACE FUNCTION engine.start_canary(p_name text, p_provider text, p_model text, p_dimension integer, p_compression text)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '10s' AS $$
DECLARE
    free text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('neurigraph embedding versions'));
    SELECT CASE v.slot WHEN 'a' THEN 'b' ELSE 'a' END INTO free FROM engine.embedding_versions AS v WHERE v.status = 'active';
    IF EXISTS (SELECT FROM engine.embedding_versions AS v
               WHERE v.status = 'canary' AND v.name <> p_name
                  OR v.name = p_name AND (v.status = 'active' OR (v.dimension, v.compression) <> (p_dimension, p_compression))) THEN
        RAISE EXCEPTION 'There is another canary.' USING ERRCODE = 'NG409';
    END IF;
    UPDATE engine.embedding_versions SET slot = NULL WHERE slot = free AND name <> p_name;
    INSERT INTO engine.embedding_versions (name, provider, model, dimension, compression, status, slot)
    VALUES (p_name, p_provider, p_model, p_dimension, p_compression, 'canary', free)
    ON CONFLICT (name) DO UPDATE SET status = 'canary', slot = free
    WHERE embedding_versions.status <> 'canary';
END $$;
