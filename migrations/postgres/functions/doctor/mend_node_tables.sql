-- Adds what a node lacks of what a new one is made of: tables, columns, keys, triggers, rights, policies; the content of a lost table is not restored.
-- A lost column that is NOT NULL without a default stays lost where there are rows: it needs a backup.
CREATE OR REPLACE FUNCTION engine.mend_node_tables(p_node uuid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '5s' AS $$
DECLARE
    node engine.nodes := (SELECT n FROM engine.nodes AS n WHERE n.node_id = p_node);
    part record;
    absent record;
    rebuilt boolean := false;
BEGIN
    EXECUTE format('CREATE SCHEMA IF NOT EXISTS %I', node.schema_name);
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO neurigraph_request', node.schema_name);
    FOR part IN SELECT t.oid, t.relname AS name, to_regclass(format('%I.%I', node.schema_name, t.relname)) AS place,
                       CASE t.relname WHEN 'delta_log' THEN 'SELECT, INSERT' ELSE 'SELECT, INSERT, UPDATE' END AS rights
                FROM pg_class AS t WHERE t.relnamespace = 'template'::regnamespace AND t.relkind = 'r'
    LOOP
        IF part.place IS NULL THEN
            rebuilt := true;
            EXECUTE format('CREATE TABLE %1$I.%2$I (LIKE template.%2$I INCLUDING ALL)', node.schema_name, part.name);
            EXECUTE format('CREATE POLICY service ON %I.%I TO CURRENT_USER USING (true) WITH CHECK (true)', node.schema_name, part.name);
        END IF;
        FOR absent IN SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type_name, a.attnotnull AS filled,
                             pg_get_expr(d.adbin, d.adrelid) AS value
                      FROM pg_attribute AS a LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
                      WHERE a.attrelid = part.oid AND a.attnum > 0 AND NOT a.attisdropped AND part.place IS NOT NULL
                        AND NOT EXISTS (SELECT FROM pg_attribute AS o WHERE o.attrelid = part.place AND o.attname = a.attname AND NOT o.attisdropped)
        LOOP
            rebuilt := true;
            EXECUTE format('ALTER TABLE %I.%I ADD COLUMN %I %s %s %s', node.schema_name, part.name, absent.name, absent.type_name,
                           'DEFAULT ' || absent.value, CASE WHEN absent.filled THEN 'NOT NULL' END);
        END LOOP;
        EXECUTE format('ALTER TABLE %I.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', node.schema_name, part.name);
        EXECUTE format('GRANT %s ON %I.%I TO neurigraph_request', part.rights, node.schema_name, part.name);
    END LOOP;
    EXECUTE format('ALTER TABLE %I.memory_items ALTER COLUMN tokens SET STORAGE EXTERNAL, ALTER COLUMN tokens_b SET STORAGE EXTERNAL', node.schema_name);
    PERFORM engine.shape_slots(node.schema_name);
    PERFORM engine.guard_meaning(node.schema_name);
    PERFORM engine.apply_node_policies(p_node, node.schema_name);
    PERFORM engine.guard_deltas(node.schema_name);
    FOR absent IN SELECT l.* FROM engine.node_lacks(ARRAY[p_node]) AS l WHERE l.kind NOT IN ('table', 'column') LOOP  -- a column of another type stays
        EXECUTE absent.statement || CASE WHEN absent.statement LIKE '% FOREIGN KEY %' THEN ' NOT VALID' ELSE '' END;  -- rows of a lost table are missing
    END LOOP;
    IF rebuilt THEN
        PERFORM engine.note_due(d.derivation, ARRAY[p_node]) FROM unnest(ARRAY['vectors', 'names', 'tokens']) AS d (derivation);
    END IF;
END $$;
