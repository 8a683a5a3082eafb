-- The rights of the request role in one node's schema. Repeating it changes nothing.
CREATE OR REPLACE FUNCTION engine.apply_node_policies(p_node uuid, p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    t record;
    old record;
    owned text := format('(SELECT engine.owns(%L::uuid))', p_node);
    unless_private text := format('(privacy <> ''private'' OR %s)', owned);
    unless_past text := '((known_to IS NULL AND valid_to IS NULL)'
                        ' OR least(known_to, valid_to) > greatest(moved_at, (SELECT engine.reads_from(%1$L::uuid, %2$L)))'
                        ' OR (SELECT engine.reads_whole_past(%1$L::uuid)))';
    of_a_file text := format('(%s OR EXISTS (SELECT FROM %I.metadata_records AS r WHERE r.record_id = file_manifest.record_id))', owned, p_schema);
    of_an_item text := format('(%s OR EXISTS (SELECT FROM %I.metadata_records AS r WHERE r.record_id = memory_items.record_id))', owned, p_schema);
    of_a_delta text := format('(%1$s OR EXISTS (SELECT FROM %2$I.metadata_records AS r WHERE r.record_id = delta_log.subject_id)'
                              ' OR EXISTS (SELECT FROM %2$I.memory_items AS i WHERE i.item_id = delta_log.subject_id))', owned, p_schema);
    of_a_state text := format('(%s OR NOT part AND EXISTS (SELECT FROM %I.metadata_records AS r'
                              ' WHERE (r.record_id = file_manifest.record_id OR r.version_of = file_manifest.record_id)'
                              ' AND r.file_pointer = file_manifest.storage_path AND %s))',
                              owned, p_schema, format(unless_past, p_node, 'files'));
BEGIN
    FOR t IN
        SELECT * FROM (VALUES
            ('metadata_records', 'records', unless_private, unless_private, format(unless_past, p_node, 'records'), 'record_id'),
            ('memory_items', 'items', unless_private, unless_private || ' AND ' || of_an_item, format(unless_past, p_node, 'items'), 'item_id'),
            ('file_manifest', 'files', of_a_file, of_a_file, of_a_state, 'file_id'),
            ('delta_log', NULL, owned, 'authored_by = (SELECT engine.principal_name()) AND ' || of_a_delta, 'true', NULL))
            AS v (name, field, readable, writable, past, id)
    LOOP
        FOR old IN SELECT p.polname FROM pg_policy AS p WHERE p.polrelid = format('%I.%I', p_schema, t.name)::regclass
                      AND p.polname IN ('principal', 'readable', 'writable', 'changeable') LOOP
            EXECUTE format('DROP POLICY %I ON %I.%I', old.polname, p_schema, t.name);
        END LOOP;
        EXECUTE format('CREATE POLICY readable ON %I.%I FOR SELECT TO neurigraph_request USING (%s)', p_schema, t.name,
                       CASE WHEN t.name IN ('metadata_records', 'memory_items') THEN engine.shown_rule(p_node, t.field)
                            ELSE format('(SELECT engine.can(''read'', %L::uuid, %L)) AND %s AND %s', p_node, t.field, t.readable, t.past) END);
        EXECUTE format('CREATE POLICY writable ON %I.%I FOR INSERT TO neurigraph_request'
                       ' WITH CHECK ((SELECT engine.can(''write'', %L::uuid, %L)) AND %s)', p_schema, t.name, p_node, t.field, t.writable);
        CONTINUE WHEN t.name = 'delta_log';
        EXECUTE format('CREATE POLICY changeable ON %I.%I FOR UPDATE TO neurigraph_request'
                       ' USING ((SELECT engine.can(''write'', %L::uuid, %L)) AND %s AND %s)', p_schema, t.name, p_node, t.field, t.readable, t.past);
        EXECUTE format('CREATE OR REPLACE TRIGGER keep_ids BEFORE UPDATE ON %I.%I FOR EACH ROW'
                       ' WHEN (OLD.%3$I IS DISTINCT FROM NEW.%3$I OR OLD.record_id IS DISTINCT FROM NEW.record_id)'
                       ' EXECUTE FUNCTION engine.keep_ids()', p_schema, t.name, t.id);
    END LOOP;
END $$;
