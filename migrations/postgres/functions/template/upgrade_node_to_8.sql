-- From template 7 to 8: edges are called edges in the log of changes, whose entries change in nothing else; may be repeated.
CREATE OR REPLACE FUNCTION engine.upgrade_node_to_8(p_node uuid, p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('ALTER TABLE %I.delta_log DISABLE TRIGGER append_only, DROP CONSTRAINT IF EXISTS delta_log_subject_kind_check', p_schema);
    EXECUTE format('UPDATE %I.delta_log SET subject_kind = ''edge'' WHERE subject_kind = ''relation''', p_schema);
    EXECUTE format('ALTER TABLE %I.delta_log ENABLE TRIGGER append_only, ADD CONSTRAINT delta_log_subject_kind_check'
                   ' CHECK (subject_kind IN (''record'', ''item'', ''node'', ''file'', ''edge''))', p_schema);
END $$;
