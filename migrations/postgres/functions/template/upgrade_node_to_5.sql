-- From template 4 to 5: scopes and sources of records and items; may be repeated.
CREATE OR REPLACE FUNCTION engine.upgrade_node_to_5(p_node uuid, p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    place text;
BEGIN
    FOREACH place IN ARRAY ARRAY['metadata_records', 'memory_items'] LOOP
        EXECUTE format('ALTER TABLE %I.%I'
                       ' ADD COLUMN IF NOT EXISTS scope text NOT NULL DEFAULT ''user'' CHECK (scope IN (''user'', ''thread'', ''workflow'')),'
                       ' ADD COLUMN IF NOT EXISTS scope_id text CHECK (char_length(scope_id) BETWEEN 1 AND 200),'
                       ' ADD COLUMN IF NOT EXISTS source text NOT NULL DEFAULT ''ingested'' CHECK (source IN (''manual'', ''extracted'', ''ingested'')),'
                       ' DROP CONSTRAINT IF EXISTS scope_has_id, ADD CONSTRAINT scope_has_id CHECK ((scope = ''user'') = (scope_id IS NULL)),'
                       ' DROP CONSTRAINT IF EXISTS scoped_is_private, ADD CONSTRAINT scoped_is_private CHECK (scope = ''user'' OR privacy = ''private'')', p_schema, place);
    END LOOP;
    EXECUTE format('ALTER TABLE IF EXISTS %I.term_counts DROP CONSTRAINT term_counts_unit_check,'
                   ' ADD CONSTRAINT term_counts_unit_check CHECK (unit IN (''turn'', ''passage'', ''record'','
                   ' ''private turn'', ''private passage'', ''private record'','
                   ' ''private scoped turn'', ''private scoped passage'', ''private scoped record''))', p_schema);
    EXECUTE format('UPDATE %I.memory_items SET source = ''extracted'' WHERE kind IN (''fact'', ''observation'', ''summary'')', p_schema);
END $$;
