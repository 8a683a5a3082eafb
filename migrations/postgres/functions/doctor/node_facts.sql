-- One page of nodes for the doctor: whether the schema exists and has the columns of the template, counts, and keys of files.
CREATE OR REPLACE FUNCTION engine.node_facts(p_after uuid, p_limit integer)
RETURNS TABLE (node_id uuid, user_id uuid, schema_name text, state text, schema_there boolean, shape_ok boolean,
               records bigint, items bigint, pointers text[])
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    part record;
    place oid;
BEGIN
    FOR part IN SELECT n.* FROM engine.nodes AS n WHERE n.node_id > p_after ORDER BY n.node_id LIMIT p_limit LOOP
        node_id := part.node_id; user_id := part.user_id; schema_name := part.schema_name; state := part.state;
        place := to_regnamespace(quote_ident(part.schema_name));
        schema_there := place IS NOT NULL;
        shape_ok := schema_there AND NOT EXISTS (
            SELECT FROM pg_class AS t JOIN pg_attribute AS wanted ON wanted.attrelid = t.oid
            LEFT JOIN pg_class AS c ON c.relnamespace = place AND c.relname = t.relname AND c.relkind = 'r'
            WHERE t.relnamespace = 'template'::regnamespace AND t.relkind = 'r' AND wanted.attnum > 0 AND NOT wanted.attisdropped
              AND NOT EXISTS (SELECT FROM pg_attribute AS a
                              WHERE a.attrelid = c.oid AND a.attname = wanted.attname AND NOT a.attisdropped));
        records := NULL; items := NULL; pointers := NULL;
        IF shape_ok THEN
            EXECUTE format('SELECT (SELECT count(*) FROM %1$I.metadata_records WHERE state = ''live'' AND version_of IS NULL),'
                           ' (SELECT count(*) FROM %1$I.memory_items AS i JOIN %1$I.metadata_records AS r USING (record_id)'
                           ' WHERE r.state = ''live'' AND i.version_of IS NULL AND i.category <> ''whole''),'
                           ' ARRAY(SELECT f.storage_path FROM %1$I.file_manifest AS f JOIN %1$I.metadata_records AS r USING (record_id)'
                           ' WHERE r.state = ''live'')', part.schema_name) INTO records, items, pointers;
        END IF;
        RETURN NEXT;
    END LOOP;
END $$;
