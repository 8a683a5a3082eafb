-- Whether a row of an append-only table belongs to a write that is being discarded, and that nobody has seen: its record is pending or gone, its commit set aside.
CREATE OR REPLACE FUNCTION engine.is_discarded(p_schema text, p_table text, p_old jsonb) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    place text := p_schema;
    found boolean := false;
BEGIN
    IF p_table = 'delta_log' THEN
        EXECUTE format('SELECT EXISTS (SELECT FROM %1$I.metadata_records AS r WHERE r.state = ''pending'''
                       ' AND r.record_id = coalesce((SELECT i.record_id FROM %1$I.memory_items AS i WHERE i.item_id = $1), $1))', place)
        INTO found USING (p_old ->> 'subject_id')::uuid;
    ELSIF p_table IN ('raw_resources', 'document_versions') THEN
        found := EXISTS (SELECT FROM engine.outbox AS o WHERE o.commit_id = (p_old ->> 'commit_id')::uuid AND o.state = 'set_aside');
    ELSIF p_table = 'assignments' THEN
        place := (SELECT n.schema_name FROM engine.nodes AS n WHERE n.node_id = (p_old ->> 'node_id')::uuid);
        EXECUTE format('SELECT NOT EXISTS (SELECT FROM %I.metadata_records AS r WHERE r.record_id = $1)', place)
        INTO found USING (p_old ->> 'record_id')::uuid;
    END IF;
    RETURN found;
END $$;
