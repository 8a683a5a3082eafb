-- From template 2 to 3: revisions and versions. What was said at a time is valid from that time.
CREATE OR REPLACE FUNCTION engine.upgrade_node_to_3(p_node uuid, p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('ALTER TABLE %I.metadata_records ADD COLUMN revision integer NOT NULL DEFAULT 1 CHECK (revision > 0),'
                   ' ADD COLUMN version_of uuid CHECK (version_of <> record_id)', p_schema);
    EXECUTE format('ALTER TABLE %I.memory_items ADD COLUMN revision integer NOT NULL DEFAULT 1 CHECK (revision > 0),'
                   ' ADD COLUMN version_of uuid CHECK (version_of <> item_id)', p_schema);
    EXECUTE format('ALTER TABLE %I.delta_log ADD COLUMN revision integer NOT NULL DEFAULT 1 CHECK (revision > 0),'
                   ' ADD CONSTRAINT delta_log_first CHECK (revision > 1 OR previous_delta_id IS NULL),'
                   ' DROP CONSTRAINT delta_log_pkey, ADD PRIMARY KEY (subject_id, revision),'
                   ' DROP CONSTRAINT delta_log_subject_kind_check, ADD CONSTRAINT delta_log_subject_kind_check'
                   ' CHECK (subject_kind IN (''record'', ''item'', ''node'', ''file'', ''relation''))', p_schema);
    EXECUTE format('UPDATE %I.metadata_records SET valid_from = least(occurred_at, known_from)'
                   ' WHERE valid_from = ''-infinity'' AND occurred_at IS NOT NULL', p_schema);
    EXECUTE format('UPDATE %I.memory_items SET valid_from = least(occurred_at, known_from)'
                   ' WHERE valid_from = ''-infinity'' AND occurred_at IS NOT NULL', p_schema);
    PERFORM engine.guard_deltas(p_schema);
END $$;
