-- The id that stands for a forgotten one in a log: always the same for one id, and nothing leads back from it. A UUID of version 8.
CREATE OR REPLACE FUNCTION engine.surrogate(p_id uuid) RETURNS uuid
LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    bytes bytea := substring(engine.tombstone('id', NULL, p_id::text) FOR 16);
BEGIN
    bytes := set_byte(set_byte(bytes, 6, get_byte(bytes, 6) & 15 | 128), 8, get_byte(bytes, 8) & 63 | 128);
    RETURN encode(bytes, 'hex')::uuid;
END $$;
