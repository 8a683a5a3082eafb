-- Deletes the rows of a commit of records from one node: they were never visible. Their words leave the counts.
CREATE OR REPLACE FUNCTION engine.withdraw_records(p_commit uuid, p_schema text) RETURNS uuid[]
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    ids uuid[];
    items uuid[];
    units text[];
    terms integer[];
    counts integer[];
BEGIN
    EXECUTE format('SELECT array_agg(record_id) FROM %I.metadata_records WHERE commit_id = $1 AND state = ''pending''', p_schema)
    INTO ids USING p_commit;
    IF ids IS NULL THEN
        RETURN '{}';
    END IF;
    SELECT array_agg(c.unit), array_agg(c.term), array_agg(c.documents) INTO units, terms, counts
    FROM (SELECT w.unit, w.term, sum(w.documents)::integer AS documents FROM unnest(ids) AS r (id), engine.record_counts(p_schema, r.id) AS w
          GROUP BY 1, 2) AS c;
    PERFORM engine.subtract_words(p_schema, units, terms, counts);
    EXECUTE format('SELECT array_agg(item_id) FROM %I.memory_items WHERE record_id = ANY ($1)', p_schema) INTO items USING ids;
    -- first: lines of the log go only while their record is there, and pending
    EXECUTE format('DELETE FROM %I.delta_log WHERE subject_id = ANY ($1)', p_schema) USING ids || items;
    EXECUTE format('DELETE FROM %I.memory_items WHERE record_id = ANY ($1)', p_schema) USING ids;
    EXECUTE format('DELETE FROM %I.file_manifest WHERE record_id = ANY ($1)', p_schema) USING ids;
    EXECUTE format('DELETE FROM %I.metadata_records WHERE record_id = ANY ($1)', p_schema) USING ids;
    RETURN ids;
END $$;
