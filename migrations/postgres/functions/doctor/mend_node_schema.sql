-- Creates the missing tables of a registered node, with their policies, empty, and counts words anew; returns how many. The tables are
-- made in a separate schema by the one function that makes them, and moved. Service only.
CREATE OR REPLACE FUNCTION engine.mend_node_schema(p_node uuid, p_schema text) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    fresh text := 'mending_' || replace(p_node::text, '-', '');
    part text;
    lacking text[] := ARRAY(SELECT t.relname::text FROM pg_class AS t
                            WHERE t.relnamespace = 'template'::regnamespace AND t.relkind = 'r'
                              AND to_regclass(format('%I.%I', p_schema, t.relname)) IS NULL ORDER BY t.relname);
BEGIN
    IF cardinality(lacking) = 0 THEN
        RETURN 0;
    END IF;
    PERFORM engine.create_node_schema(p_node, fresh);
    IF to_regnamespace(quote_ident(p_schema)) IS NULL THEN
        EXECUTE format('ALTER SCHEMA %I RENAME TO %I', fresh, p_schema);
    ELSE
        FOREACH part IN ARRAY lacking LOOP
            EXECUTE format('ALTER TABLE %I.%I SET SCHEMA %I', fresh, part, p_schema);
        END LOOP;
        EXECUTE format('DROP SCHEMA %I CASCADE', fresh);  -- CASCADE also drops the references to its tables; they are made again here
        FOREACH part IN ARRAY ARRAY['memory_items', 'file_manifest'] LOOP
            IF NOT EXISTS (SELECT FROM pg_constraint AS c WHERE c.contype = 'f' AND c.conrelid = to_regclass(format('%I.%I', p_schema, part))) THEN
                EXECUTE format('ALTER TABLE %1$I.%2$I ADD FOREIGN KEY (record_id) REFERENCES %1$I.metadata_records NOT VALID', p_schema, part);
            END IF;
        END LOOP;
    END IF;
    PERFORM engine.recount_words(p_node, p_schema);
    IF cardinality(lacking) = (SELECT count(*) FROM pg_class AS t WHERE t.relnamespace = 'template'::regnamespace AND t.relkind = 'r') THEN
        UPDATE engine.nodes SET template_version = engine.template_version() WHERE node_id = p_node;
    END IF;
    RETURN cardinality(lacking);
END $$;
