-- The tombstone of a thing: by it the thing is known again, and nothing of it can be read. Keyed, so that a guess cannot be tested without the key. No user: a nil id.
CREATE OR REPLACE FUNCTION engine.tombstone(p_kind text, p_user uuid, p_thing text) RETURNS bytea
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    key bytea := (SELECT k.key FROM engine.forgetting_key AS k);
BEGIN
    IF key IS NULL THEN
        RAISE EXCEPTION 'The key of tombstones is lost: restore Postgres from a backup.' USING ERRCODE = 'data_corrupted';
    END IF;
    RETURN sha256(key || sha256(key || convert_to(p_kind, 'UTF8') || '\x00'::bytea
                                || uuid_send(coalesce(p_user, '00000000-0000-0000-0000-000000000000')) || '\x00'::bytea || convert_to(p_thing, 'UTF8')));
END $$;
