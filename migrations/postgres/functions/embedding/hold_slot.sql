-- Locks the slot of a version while a build writes a batch. NG411: another version has taken the slot.
CREATE OR REPLACE FUNCTION engine.hold_slot(p_version text, p_slot text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtext('neurigraph embedding versions'));
    IF NOT EXISTS (SELECT FROM engine.embedding_versions AS v WHERE v.name = p_version AND v.slot = p_slot) THEN
        RAISE EXCEPTION 'The embedding version % no longer has a slot.', p_version USING ERRCODE = 'NG411';
    END IF;
END $$;
