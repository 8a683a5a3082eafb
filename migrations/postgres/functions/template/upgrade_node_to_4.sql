-- From template 3 to 4: a second slot for vectors; a missing vector is no longer marked by a constraint.
CREATE OR REPLACE FUNCTION engine.upgrade_node_to_4(p_node uuid, p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    old record;
BEGIN
    FOR old IN SELECT c.conname AS name FROM pg_constraint AS c JOIN pg_attribute AS a ON a.attrelid = c.conrelid
               WHERE c.conrelid = format('%I.metadata_records', p_schema)::regclass AND c.contype = 'c'
                 AND a.attname = 'embedding_pending' AND a.attnum = ANY (c.conkey)
    LOOP
        EXECUTE format('ALTER TABLE %I.metadata_records DROP CONSTRAINT %I', p_schema, old.name);
    END LOOP;
    EXECUTE format('ALTER TABLE %I.metadata_records ADD COLUMN IF NOT EXISTS embedding_b public.vector,'
                   ' ADD COLUMN IF NOT EXISTS embedding_b_version text, DROP CONSTRAINT IF EXISTS metadata_records_slot_b', p_schema);
    EXECUTE format('ALTER TABLE %I.metadata_records ADD CONSTRAINT metadata_records_slot_b'
                   ' CHECK ((embedding_b IS NULL) = (embedding_b_version IS NULL)) NOT VALID', p_schema);
    EXECUTE format('ALTER TABLE %I.memory_items ADD COLUMN IF NOT EXISTS embedding_b public.vector,'
                   ' ADD COLUMN IF NOT EXISTS embedding_b_version text, DROP CONSTRAINT IF EXISTS memory_items_slot_b', p_schema);
    EXECUTE format('ALTER TABLE %I.memory_items ADD CONSTRAINT memory_items_slot_b'
                   ' CHECK ((embedding_b IS NULL) = (embedding_b_version IS NULL)) NOT VALID,'
                   ' ALTER COLUMN embedding_b SET STORAGE PLAIN', p_schema);
    PERFORM engine.guard_meaning(p_schema);
    PERFORM engine.shape_slots(p_schema);
END $$;
