-- Gives a node its own schema: tables like the template, forced policies, rights of the request role.
-- Policies come before row-level security: while it is on, each further statement on a table has the server read all of its policies again.
CREATE OR REPLACE FUNCTION engine.create_node_schema(p_node uuid, p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    t record;
BEGIN
    EXECUTE format('CREATE SCHEMA %1$I; GRANT USAGE ON SCHEMA %1$I TO neurigraph_request', p_schema);
    FOR t IN SELECT v.*, d.definition, CASE WHEN v.of_records THEN format(', FOREIGN KEY (record_id) REFERENCES %I.metadata_records', p_schema) END AS key
             FROM (VALUES ('metadata_records', 'SELECT, INSERT, UPDATE', false), ('memory_items', 'SELECT, INSERT, UPDATE', true),
                          ('file_manifest', 'SELECT, INSERT, UPDATE', true), ('delta_log', 'SELECT, INSERT', false)) AS v (name, rights, of_records)
             JOIN engine.template_tables AS d USING (name) ORDER BY v.of_records
    LOOP
        EXECUTE format('CREATE TABLE %1$I.%2$I (%3$s%4$s); GRANT %5$s ON %1$I.%2$I TO neurigraph_request;'
                       ' CREATE POLICY service ON %1$I.%2$I TO CURRENT_USER USING (true) WITH CHECK (true)',
                       p_schema, t.name, t.definition, t.key, t.rights);
    END LOOP;
    PERFORM engine.shape_slots(p_schema);
    PERFORM engine.guard_meaning(p_schema);
    PERFORM engine.guard_deltas(p_schema);
    PERFORM engine.apply_node_policies(p_node, p_schema);
    FOR t IN SELECT d.name FROM engine.template_tables AS d LOOP
        EXECUTE format('ALTER TABLE %I.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', p_schema, t.name);
    END LOOP;
END $$;
