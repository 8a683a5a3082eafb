-- From template 8 to 9: what the ranking reads of an item; jobs fill it for items that are there. May be repeated.
CREATE OR REPLACE FUNCTION engine.upgrade_node_to_9(p_node uuid, p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('ALTER TABLE %I.memory_items ADD COLUMN IF NOT EXISTS entities integer[] NOT NULL DEFAULT ''{}'','
                   ' ADD COLUMN IF NOT EXISTS about integer[] NOT NULL DEFAULT ''{}'', ADD COLUMN IF NOT EXISTS tokens bytea,'
                   ' ADD COLUMN IF NOT EXISTS tokens_b bytea', p_schema);
    EXECUTE format('ALTER TABLE %I.memory_items ALTER COLUMN tokens SET STORAGE EXTERNAL, ALTER COLUMN tokens_b SET STORAGE EXTERNAL', p_schema);
    PERFORM engine.guard_meaning(p_schema);
    IF pg_relation_size(format('%I.memory_items', p_schema)::regclass) > 0 THEN
        PERFORM engine.note_due(d.derivation, ARRAY[p_node]) FROM unnest(ARRAY['names', 'tokens']) AS d (derivation);
    END IF;
END $$;
