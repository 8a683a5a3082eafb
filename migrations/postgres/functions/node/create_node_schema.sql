-- Gives a node its own schema: tables like the template, forced policies, rights of the request role.
CREATE OR REPLACE FUNCTION engine.create_node_schema(p_node uuid, p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    t record;
BEGIN
    EXECUTE format('CREATE SCHEMA %I', p_schema);
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO neurigraph_request', p_schema);
    FOR t IN SELECT * FROM (VALUES ('metadata_records', 'SELECT, INSERT, UPDATE'), ('memory_items', 'SELECT, INSERT, UPDATE'),
                                   ('file_manifest', 'SELECT, INSERT, UPDATE'), ('delta_log', 'SELECT, INSERT'),
                                   ('term_counts', 'SELECT, INSERT, UPDATE')) AS v (name, rights)
    LOOP
        EXECUTE format('CREATE TABLE %1$I.%2$I (LIKE template.%2$I INCLUDING ALL)', p_schema, t.name);
        EXECUTE format('ALTER TABLE %I.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', p_schema, t.name);
        EXECUTE format('CREATE POLICY service ON %I.%I TO CURRENT_USER USING (true) WITH CHECK (true)', p_schema, t.name);
        EXECUTE format('GRANT %s ON %I.%I TO neurigraph_request', t.rights, p_schema, t.name);
    END LOOP;
    PERFORM engine.shape_slots(p_schema);
    PERFORM engine.guard_meaning(p_schema);
    PERFORM engine.apply_node_policies(p_node, p_schema);
    PERFORM engine.guard_deltas(p_schema);
    EXECUTE format('ALTER TABLE %1$I.memory_items ADD FOREIGN KEY (record_id) REFERENCES %1$I.metadata_records', p_schema);
    EXECUTE format('ALTER TABLE %1$I.file_manifest ADD FOREIGN KEY (record_id) REFERENCES %1$I.metadata_records', p_schema);
END $$;
