-- Undoes a commit of records: rows, documents, resources, decisions; its sources go back to their position before it, except streamed
-- ones, which continue after it. Its files become orphans and are swept.
CREATE OR REPLACE FUNCTION engine.discard_records(p_work engine.outbox) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    place text;
    ids uuid[] := '{}';
BEGIN
    -- Searches all nodes of the user: the commit may be set aside because its payload is wrong.
    FOR place IN SELECT n.schema_name FROM engine.nodes AS n
                 WHERE n.user_id = p_work.user_id AND to_regclass(format('%I.metadata_records', n.schema_name)) IS NOT NULL ORDER BY 1
    LOOP
        ids := ids || engine.withdraw_records(p_work.commit_id, place);
    END LOOP;
    PERFORM engine.discard_facts(ids);
    DELETE FROM engine.due AS d WHERE d.derivation = 'reading' AND d.record_id = ANY (ids);
    DELETE FROM engine.assignments AS a WHERE a.record_id = ANY (ids);
    DELETE FROM engine.document_versions AS v WHERE v.commit_id = p_work.commit_id AND v.document_id = ANY (ids);
    DELETE FROM engine.documents AS d WHERE d.document_id = ANY (ids);
    DELETE FROM engine.raw_resources AS r WHERE r.commit_id = p_work.commit_id;
    DELETE FROM engine.sources AS s WHERE s.commit_id = p_work.commit_id AND s.units_before = 0
        AND NOT EXISTS (SELECT FROM engine.conversations AS c WHERE c.user_id = s.user_id AND c.source_id = s.source_id);
    UPDATE engine.sources AS s SET units = s.units_before, content_hash = s.hash_before, commit_id = s.commit_before,
           units_before = NULL, hash_before = NULL, commit_before = NULL, updated_at = now()
    WHERE s.commit_id = p_work.commit_id AND s.units_before > 0
      AND NOT EXISTS (SELECT FROM engine.conversations AS c WHERE c.user_id = s.user_id AND c.source_id = s.source_id);
END $$;
