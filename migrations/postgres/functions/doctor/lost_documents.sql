-- Records of these nodes that came in as documents, as the kind of their items says, and of which neither the document nor a version is there. A
-- stated fact is no document: its only item is a fact. Only nodes whose tables are complete by the catalog, and that lack something.
CREATE OR REPLACE FUNCTION engine.lost_documents(p_nodes uuid[]) RETURNS TABLE (schema_name text, documents bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    node engine.nodes;
BEGIN
    FOR node IN SELECT n.* FROM engine.whole_nodes(p_nodes) AS n
    LOOP
        schema_name := node.schema_name;
        EXECUTE format(
            'SELECT count(*) FROM %1$I.metadata_records AS r WHERE r.state = ''live'' AND r.version_of IS NULL'
            ' AND EXISTS (SELECT FROM %1$I.memory_items AS i WHERE i.record_id = r.record_id AND i.kind = ''chunk'')'
            ' AND EXISTS (SELECT FROM engine.raw_resources AS w WHERE w.record_id = r.record_id)'
            ' AND NOT EXISTS (SELECT FROM engine.documents AS d WHERE d.document_id = r.record_id)'
            ' AND NOT EXISTS (SELECT FROM engine.document_versions AS o WHERE o.document_id = r.record_id)', node.schema_name)
        INTO documents;
        IF documents > 0 THEN
            RETURN NEXT;
        END IF;
    END LOOP;
END $$;
